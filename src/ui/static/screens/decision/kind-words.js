/** What the wire's names mean to people: causes, methods, rules, signals, types. A name that is new here stays itself. */

const TYPES = {
  system_prompt: ["system prompt", "system prompts"],
  tool_definition: ["tool definition", "tool definitions"],
  user_message: ["user message", "user messages"],
  assistant_response: ["answer or call", "answers and calls"],
  thinking: ["thinking", "thinking"],
  tool_result: ["tool result", "tool results"],
  memory_injection: ["memory", "memories"],
  summary: ["summary", "summaries"],
  note: ["note", "notes"],
};

/** "7 tool results", or without a number the type of one block. */
export function typeWord(type, n = null) {
  const [one, many] = TYPES[type] ?? [plain(type), plain(type)];
  return n === null ? one : `${n} ${n === 1 ? one : many}`;
}

/** The kinds among blocks, the most frequent first: "7 tool results, 8 thinking". */
export function kindsIn(blocks) {
  const counts = new Map();
  for (const { type } of blocks) counts.set(type, (counts.get(type) ?? 0) + 1);
  const ordered = [...counts].sort((a, b) => b[1] - a[1]);
  const told = ordered.slice(0, 2).map(([type, n]) => typeWord(type, n));
  const others = ordered.slice(2).reduce((sum, [, n]) => sum + n, 0);
  return others === 0 ? told.join(", ") : `${told.join(", ")}, ${others} other`;
}

/** What became of a block, as a verb and as a state. */
const METHODS = {
  clear: ["cleared", "A placeholder stands in its place."],
  clear_input: ["arguments cleared", "The call stands, its arguments are a placeholder."],
  drop: ["dropped", "Nothing stands in its place."],
  merge: ["merged", "It says which newer block holds the same, and what differs."],
  truncate: ["truncated", "Its head and its tail stand."],
  summarize: ["summarized", "What matters of it stands, by whole lines or as a summary."],
};

export function methodWord(method) {
  return METHODS[method]?.[0] ?? plain(method);
}

export function methodMeaning(method) {
  return METHODS[method]?.[1] ?? "";
}

/** Signals of a score. */
const SIGNALS = {
  recency: "Recency",
  priority: "Priority",
  type_ttl: "Time to live",
  reference_freq: "References",
  semantic_duplication: "Uniqueness",
  similarity: "Similarity",
  superseded: "Superseded",
  position: "Position",
  window: "Place in the window",
  regret: "Needed again before",
  re_need: "Needed again before",
};

export function signalWord(name) {
  return SIGNALS[name] ?? sentence(plain(name));
}

const PROBES = {
  goal: "Goal",
  constraint: "Constraints",
  decision: "Decisions",
  file: "Files",
  error: "Errors",
  number: "Numbers",
  next_step: "Next step",
};

export function probeWord(type) {
  return PROBES[type] ?? sentence(plain(type));
}

/** Steps of the cascade and policies, joined by `+` in a pass's strategy. */
const STRATEGIES = {
  eviction: "eviction",
  tool_result_summarization: "shorter tool results",
  progressive: "progressive shortening",
  conversation_compaction: "compaction of the conversation",
  sub_agent: "a sub-agent's summary",
  head_tail: "head and tail",
  ledger: "the ledger alone",
};

export function strategyWords(strategy) {
  return strategy.split("+").map((name) => STRATEGIES[name] ?? plain(name));
}

const REGRETS = { recall: "recalled", identifier: "used again", reread: "read again" };

export function regretWord(kind) {
  return REGRETS[kind] ?? plain(kind);
}

export function plain(name) {
  return name.replaceAll("_", " ");
}

export function sentence(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An expected need: mostly far below 1, so that two digits that say something are told. */
export function needFigure(need) {
  return need >= 0.1 ? need.toFixed(2) : String(Number(need.toPrecision(2)));
}

/** What a missed line was expected to be needed, and what was carried over then: "need 0.012, cut off at 0.031". */
export function estimateWords({ need, cut_off: least }) {
  if (need === null) return "";
  return least === null ? `need ${needFigure(need)}` : `need ${needFigure(need)}, cut off at ${needFigure(least)}`;
}
