import { plain, sentence } from "./kind-words.js";

/** A rule's name within the list, its sentence, and what follows from it. Looked up whole, then by what precedes its point. */
const RULES = {
  "hybrid.sum": [
    "value per token",
    "Lowest value for its tokens.",
    "The weighted sum of its signals was among the lowest.",
  ],
  "hybrid.newer_result": ["superseded", "Superseded.", "A newer result of the same call says what it said."],
  "hybrid.later_write": ["superseded", "Superseded.", "The file was written after it was read: it is out of date."],
  "superseded.newer_result": ["superseded", "Superseded.", "A newer result of the same call says what it said."],
  "superseded.later_write": ["superseded", "Superseded.", "The file was written after it was read: it is out of date."],
  "superseded.current": ["still current", "Not superseded.", "Nothing newer replaces it; the pass had to go on."],
  "drop_oldest.position": ["oldest first", "Oldest first.", "It stood first among what may go."],
  "priority.sum": ["low priority", "Low priority.", "Its source and its markers say little for keeping it."],
  "fifo.age": ["oldest first", "First in, first out.", "It had been in the context longest."],
  "lru.unreferenced": ["never used", "Never used.", "No later turn used an identifier of it."],
  "lru.idle": ["long unused", "Longest unused.", "Other blocks were used more lately."],
  "regret.reneed": ["rarely needed again", "Rarely needed again.", "Blocks of its tool and type are seldom missed."],
  "regret.age": ["oldest first", "Oldest first.", "Nothing is known of how often its kind is missed."],
  "type.expired": ["time to live", "Time to live.", "Its type lives fewer turns than it was old."],
  "type.ttl": ["time to live", "Time to live.", "Its type has little of its lifetime left."],
  "sliding_window.outside": [
    "outside the last units",
    "Outside the window of the last units.",
    "Only the newest are kept.",
  ],
  "sliding_window.inside": ["oldest of the last units", "Oldest of the last units.", "The pass had to go on."],
  "semantic_duplication.similar": ["repeated later", "Repeated later.", "Newer blocks say most of it."],
  "semantic_duplication.unique": ["not repeated", "Not repeated.", "Nothing says it again; the pass had to go on."],
  "merge.near_duplicate": [
    "near duplicate",
    "Near duplicate.",
    "Another block holds the same but for a few differences.",
  ],
  "head_tail.largest": ["largest", "Head and tail.", "It was the largest text left; its middle went."],
  "conversation_compaction.older": [
    "older conversation",
    "Older conversation.",
    "What was said before the newest turns is folded.",
  ],
  "summary.prepared": [
    "summary was ready",
    "A summary was ready.",
    "A model had told its content, so the block could go.",
  ],
  "window.closed": [
    "window closed",
    "The window was closed.",
    "What it held went; the next one begins with a bootstrap.",
  ],
  progressive: ["shortened by age", "Shortened by age.", "The older a result, the fewer tokens it may have."],
  tool_result_summarization: ["shorter result", "Shorter result.", "What matters of it was kept by its kind of text."],
  sub_agent: ["sub-agent", "Told by a sub-agent.", "What a subtask read is told by its result."],
};

function ruleOf(rule) {
  return RULES[rule] ?? RULES[rule.split(".", 1)[0]] ?? null;
}

/** A few words for a row: "time to live". */
export function ruleName(rule) {
  return ruleOf(rule)?.[0] ?? plain(rule).replace(".", ", ");
}

/** { name, meaning }: sentences for the reason of one block. */
export function ruleWords(rule) {
  const known = ruleOf(rule);
  if (known === null) return { name: `${sentence(plain(rule).replace(".", ", "))}.`, meaning: "" };
  return { name: known[1], meaning: known[2] };
}
