import { compact, count, percent, signed } from "../draw/format.js";
import { editedWords } from "./pass-words.js";

/**
 * The events that the page shows, and how: a shape (a zone's, or a symbol of index.html) and words. What happens many
 * times a turn is not in the list; it moves the table instead.
 */
const SHOWN = {
  "session.opened": ["window", (d) => `opened, window of ${compact(d.max_context_tokens)}`],
  "session.closed": ["window", (d) => `closed after ${count(d.turns, "turn")}`],
  "session.configured": ["window", () => "reconfigured"],
  "session.resumed": ["window", (d) => `resumed in window ${d.window_number}`],
  "window.opened": ["window", (d) => `window ${d.number} opened${d.checkpoint_id ? `, from ${d.checkpoint_id}` : ""}`],
  "window.closed": ["window", (d) => `window ${d.number} closed, ${d.reason}`],
  "zone.changed": ["zone", (d) => `to ${d.to}, ${percent(d.utilization)}`],
  "velocity.spiked": ["growth", (d) => `${signed(d.growth_tokens)} in one turn`],
  "history.compacted": ["edit", (d) => `${editedWords(d.edits)}, ${signed(d.tokens_after - d.tokens_before)}`],
  "provider.edited": ["edit", (d) => `provider: ${d.kind}, ${signed(-d.cleared_input_tokens)}`],
  "block.truncated": ["edit", (d) => `truncated, ${compact(d.tokens_before)} → ${compact(d.tokens_after)}`],
  "compaction.started": [
    "edit",
    (d) => `${d.kind === "results" ? "shorter results" : "summary"} of ${count(d.units, "unit")} asked for`,
  ],
  "summary.prepared": ["edit", (d) => `summary ready after ${d.seconds.toFixed(1)} s`],
  "results.prepared": ["edit", (d) => `${count(d.results, "shorter result")} ready after ${d.seconds.toFixed(1)} s`],
  "compaction.failed": ["notice", (d) => `pass failed: ${d.reason}`],
  "summary.failed": ["notice", (d) => `summary failed: ${d.reason}`],
  "fidelity.evaluated": ["edit", (d) => `kept ${d.kept} of ${count(d.probes, "fact")}`],
  "block.summarized": ["edit", (d) => `summarized, ${compact(d.tokens_before)} → ${compact(d.tokens_after)}`],
  "floor.detected": [
    "notice",
    (d) => `floor ${percent((d.floor_tokens - d.reserve_tokens) / d.max_tokens, 0)} of the window`,
  ],
  "budget.soft_exceeded": ["growth", (d) => `${d.component} over its soft budget`],
  "budget.hard_exceeded": ["growth", (d) => `${d.component} over its budget`],
  "overflow.reported": [
    "notice",
    (d) => (d.source === "stop_reason" ? "answer cut, window full" : "overflow reported"),
  ],
  "overflow.recovered": ["edit", (d) => `overflow recovered, ${compact(d.tokens_after)}`],
  "overflow.given_up": ["notice", (d) => `overflow given up, ${d.reason}`],
  "checkpoint.saved": ["window", (d) => `checkpoint ${d.checkpoint_id} saved, ${d.reason}`],
  "checkpoint.rejected": ["notice", (d) => `checkpoint rejected, ${d.reason}`],
  "checkpoint.restored": ["window", (d) => `checkpoint ${d.checkpoint_id} restored`],
  "bootstrap.verified": ["window", (d) => `bootstrap verified, ${d.passed} of ${count(d.checks, "check")}`],
  "history.diverged": ["notice", (d) => `history lost ${count(d.removed_messages, "message")}`],
  "regret.detected": [
    "recall",
    (d) => `${d.tool_name ?? d.block_type} needed again, ${count(d.turns_since, "turn")} later`,
  ],
  "note.written": ["recall", (d) => `note ${d.note_id}, ${d.category}`],
  "task.updated": [
    "recall",
    (d) => (d.subtasks === 0 ? "task updated" : `${d.done} of ${count(d.subtasks, "subtask")} done`),
  ],
  "constraint.reinserted": ["notice", (d) => `rule of the ${d.source} put back`],
  "recall.served": ["recall", (d) => `recalled ${d.handle}`],
  "delegation.opened": ["window", (d) => `delegated to ${d.child_session_id}`],
  "delegation.closed": ["window", (d) => `${d.delegation_id} ${d.status}, ${compact(d.tokens_after)} back`],
  "alert.raised": ["notice", (d) => `${d.alert}: ${d.summary}`],
  "alert.resolved": ["notice", (d) => `${d.alert} resolved`],
  "config.reloaded": ["window", (d) => (d.successful ? "configuration taken over" : "configuration refused")],
};

/** Types that the page asks the stream for: what it shows, and what moves the table. */
export const ASKED_TYPES = [
  ...Object.keys(SHOWN),
  "pressure.measured",
  "status.changed",
  "turn.started",
  "turn.ended",
  "stream.position",
];

/** `contextd.zone.changed.v1` as `zone.changed`. */
export function shortType(type) {
  return type.replace(/^contextd\./, "").replace(/\.v\d+$/, "");
}

/** How an event is shown in the tail; null when it is not. */
export function describeEvent(event) {
  const type = shortType(event.type);
  if (!Object.hasOwn(SHOWN, type)) return null;
  const [shape, words] = SHOWN[type];
  return { shape, zone: shape === "zone" ? event.data.to : null, words: words(event.data) };
}
