import { compact, count, percent, signed, turns, zoneWord } from "../../../draw/format.js";
import { WINDOW_TELLINGS } from "./window-tellings.js";
import { dataOf, gateWords, plain, seconds, skipWord, tokens } from "./words.js";

/**
 * What each type of decision says: `tell(type, entries)` gives { kind, group, shape, what, why, before, after, figure,
 * outcome }. `entries` begins with the event of that type; later ones tell how it ended.
 */
export function tell(type, entries) {
  const telling = Object.hasOwn(TELLINGS, type) ? TELLINGS[type] : unknown;
  const blank = { group: null, shape: "window", why: "", before: null, after: null, figure: "", outcome: "" };
  return { ...blank, ...telling(entries[0].data, entries, type) };
}

const ZONE_CAUSES = {
  growth: "the context grew",
  edit: "after an edit",
  forecast: "red is forecast",
  configured: "its settings changed",
};

const NEEDS = {
  recall: "the agent recalled it",
  identifier: "the agent used a name that only it held",
  reread: "its tool call was made again",
};

const TELLINGS = {
  ...WINDOW_TELLINGS,
  "zone.changed": (d) => ({
    kind: "Zone",
    shape: `zone-${d.to}`,
    what: `${zoneWord(d.to)}, from ${d.from}`,
    why: `${ZONE_CAUSES[d.cause] ?? plain(d.cause)}${d.turns_until_red === null || d.to === "red" ? "" : `, red ${turns(d.turns_until_red)} turns away`}`,
    figure: `${tokens(d.tokens)}, ${percent(d.utilization)}`,
  }),
  "compaction.skipped": (d, entries) => ({
    kind: "No edit",
    shape: "growth",
    what: entries.length === 1 ? "No pass was made" : `No pass in ${count(entries.length, "turn")}`,
    why: skipWord(d.reason),
    figure: "skipped",
    outcome: gateWords(entries.at(-1).data.gate) ?? "",
  }),
  "compaction.failed": (d) => ({
    kind: "Eviction",
    shape: "notice",
    group: "edits",
    what: `A pass fell short by ${tokens(d.tokens_short)}`,
    why: skipWord(d.reason),
  }),
  "velocity.spiked": (d) => ({
    kind: "Growth",
    shape: "growth",
    what: `Velocity spike, ${(d.growth_tokens / Math.max(1, d.baseline_tokens)).toFixed(1)}× the baseline`,
    why: `usual growth is ${tokens(d.baseline_tokens)} a turn`,
    figure: `${signed(d.growth_tokens)} tok`,
  }),
  "block.truncated": (d, entries) => ({
    kind: "Truncation",
    ...shortened(d, entries),
    what:
      entries.length === 1
        ? "Cut a result to its head and tail as it came in"
        : `Cut ${count(entries.length, "result")} to head and tail as they came in`,
  }),
  "block.summarized": (d, entries) => ({
    kind: "Summary",
    ...shortened(d, entries),
    what:
      entries.length === 1
        ? `Shortened a ${resultOf(d)} as it came in`
        : `Shortened ${list(entries, resultOf)} as they came in`,
  }),
  "provider.edited": (d) => ({
    kind: "Provider",
    shape: "edit",
    group: "edits",
    what: `The provider edited the prompt: ${plain(d.kind)}`,
    why: "not by contextd",
    figure: `${signed(-d.cleared_input_tokens)} tok`,
  }),
  "history.diverged": (d) => ({
    kind: "History",
    shape: "notice",
    what: `The agent took ${count(d.removed_messages, "message")} out of its history`,
    why: "they leave the context as well",
  }),
  "compaction.started": (d, entries) => jobTelling(d, entries),
  "summary.prepared": (d) => ({
    kind: "Summary",
    shape: "summary",
    what: "A summary is ready",
    figure: tokens(d.tokens),
    outcome: `by ${d.model} in ${seconds(d.seconds)}`,
  }),
  "results.prepared": (d) => ({
    kind: "Summary",
    shape: "summary",
    what: `${count(d.results, "shorter result")} ready`,
    figure: tokens(d.tokens),
  }),
  "summary.failed": (d) => ({
    kind: "Summary",
    shape: "notice",
    what: "A model gave no summary that could be used",
    why: plain(d.reason),
  }),
  "summary.dropped": (d) => ({
    kind: "Summary",
    shape: "summary",
    what: "A summary is not used",
    why: plain(d.reason),
  }),
  "floor.detected": (d) => ({
    kind: "Floor",
    shape: "notice",
    what: `The floor fills ${percent((d.floor_tokens - d.reserve_tokens) / d.max_tokens, 0)} of the window`,
    why: `nothing can free it; ${tokens(d.reserve_tokens)} more are kept for the answer`,
    figure: tokens(d.floor_tokens - d.reserve_tokens),
  }),
  "recall.served": (d) => ({
    kind: "Recall",
    shape: "recall",
    group: "again",
    what: `The agent recalled ${d.handle}`,
    why: `block ${d.block_id}`,
    figure: `${compact(d.bytes)} bytes`,
  }),
  "regret.detected": (d, entries) => ({
    kind: "Regret",
    shape: "notice",
    group: "again",
    what: entries.length === 1 ? `${needed(d)} was needed again` : `${list(entries, resultOf)} were needed again`,
    why: [...new Set(entries.map(({ data }) => NEEDS[data.kind] ?? plain(data.kind)))].join("; "),
    figure: d.turns_since === 0 ? "in the same turn" : `${count(d.turns_since, "turn")} after it left`,
    outcome: `left at turn ${d.evicted_turn}, pass ${d.pass_id}`,
  }),
  "block.pinned": (d) => ({ kind: "Pin", shape: "pin", what: `Block ${d.block_id} pinned`, why: "never evicted" }),
  "block.unpinned": (d) => ({ kind: "Pin", shape: "pin", what: `Block ${d.block_id} unpinned` }),
  "alert.raised": (d, entries) => {
    const end = dataOf(entries, "alert.resolved");
    return {
      kind: "Alert",
      shape: "bell",
      what: d.alert,
      why: d.summary,
      figure: d.severity,
      outcome: end === null ? "fires" : `resolved at turn ${end.turn}`,
    };
  },
  "alert.resolved": (d) => ({ kind: "Alert", shape: "bell", what: `${d.alert} resolved`, why: d.summary }),
};

function needed({ tool_name: tool, block_type: type }) {
  return tool === null ? sentence(type) : `A result of ${tool}`;
}

function resultOf({ tool_name: tool, block_type: type }) {
  return tool === null ? plain(type) : `result of ${tool}`;
}

/** "2 × result of read_file, 1 user message". */
function list(entries, name) {
  const counts = new Map();
  for (const { data } of entries) counts.set(name(data), (counts.get(name(data)) ?? 0) + 1);
  return [...counts].map(([named, n]) => (n === 1 ? `1 ${named}` : `${n} × ${named}`)).join(", ");
}

/** What was made shorter as it came in, in one turn and by one rule. */
function shortened({ rule, handle }, entries) {
  const sum = (name) => entries.reduce((total, { data }) => total + data[name], 0);
  return {
    shape: "summary",
    group: "edits",
    why: plain(rule),
    before: sum("tokens_before"),
    after: sum("tokens_after"),
    outcome: entries.length === 1 ? `original behind ${handle}` : `originals behind ${entries.length} handles`,
  };
}

function jobTelling(data, entries) {
  const ready = dataOf(entries, "summary.prepared") ?? dataOf(entries, "results.prepared");
  const failed = dataOf(entries, "summary.failed");
  const dropped = dataOf(entries, "summary.dropped");
  const of = data.kind === "results" ? count(data.units, "tool result") : count(data.units, "unit");
  const state = failed !== null ? "failed" : dropped !== null ? "not used" : ready !== null ? "ready" : "under way";
  return {
    kind: "Summary",
    shape: failed === null ? "summary" : "notice",
    what: `A model's summary of ${of} is ${state}`,
    why:
      failed !== null
        ? plain(failed.reason)
        : dropped !== null
          ? plain(dropped.reason)
          : "in the background, no call waits",
    figure: ready === null ? tokens(data.tokens) : `${compact(data.tokens)} → ${tokens(ready.tokens)}`,
    outcome: ready === null ? "" : `by ${ready.model} in ${seconds(ready.seconds)}`,
  };
}

function unknown(data, _entries, type) {
  return {
    kind: "Event",
    what: sentence(type.replace(".", " ")),
    why: typeof data.reason === "string" ? data.reason : "",
  };
}

function sentence(name) {
  const words = plain(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
