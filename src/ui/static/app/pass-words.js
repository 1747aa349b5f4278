import { count } from "../draw/format.js";

/**
 * A pass in words, the same wherever it is told: in the tail of events, among a session's decisions, and on its own page.
 * What is counted are blocks: one that was edited twice is one, and what became of it in the end is told.
 */

/** What an edit does, by its method as `pass.explain` names it; every other method takes content out. */
const DEEDS = { merge: "merged", truncate: "shortened", summarize: "shortened" };
const ORDER = ["evicted", "merged", "shortened"];

/** Methods of edits by the type of the event that tells them. */
const METHODS = { "block.merged": "merge", "block.truncated": "truncate", "block.summarized": "summarize" };

/** "edited 7 blocks": `n` as `history.compacted` counts them. */
export function editedWords(n) {
  return `edited ${count(n, "block")}`;
}

/** How many blocks were edited, and how: `edits` of a pass in their order, { block_id, method }. */
export function deedsOf(edits) {
  const last = new Map(edits.map(({ block_id: id, method }) => [id, DEEDS[method] ?? "evicted"]));
  const deeds = [...last.values()];
  const parts = ORDER.map((deed) => ({ deed, n: deeds.filter((own) => own === deed).length })).filter(({ n }) => n > 0);
  return { blocks: last.size, parts };
}

/** The edits that events of a pass tell. */
export function editsOf(entries) {
  return entries
    .filter(({ type }) => type === "block.evicted" || METHODS[type] !== undefined)
    .map(({ type, data }) => ({ block_id: data.block_id, method: METHODS[type] ?? data.method }));
}

/** "edited 7 blocks: 5 evicted, 2 merged". */
export function deedWords({ blocks, parts }) {
  const [only, ...others] = parts;
  if (only === undefined) return "edited no block";
  if (others.length > 0) return `${editedWords(blocks)}: ${parts.map(({ deed, n }) => `${n} ${deed}`).join(", ")}`;
  return `${editedWords(blocks)}: ${blocks === 1 ? "" : "all "}${only.deed}`;
}

/** What such a pass is called. */
export function passKind({ cause, strategy, summarizer }, { parts }) {
  if (cause === "window" || summarizer === "llm" || strategy.includes("conversation_compaction")) return "Fold";
  return { evicted: "Eviction", merged: "Merge", shortened: "Summary" }[parts[0]?.deed] ?? "Ledger";
}
