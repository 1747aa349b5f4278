import { compact, count } from "../../../draw/format.js";
import { dataOf, plain, tokens, windowEnd } from "./words.js";

/** What is said of windows and sessions, of prompts that were refused, and of what goes from window to window: see tellings.js. */
export const WINDOW_TELLINGS = {
  "overflow.reported": (d, entries) => overflowTelling(d, entries),
  "overflow.recovered": (d) => ({
    kind: "Overflow",
    shape: "overflow",
    what: "The context fits again",
    before: d.tokens_before,
    after: d.tokens_after,
  }),
  "overflow.given_up": (d) => ({
    kind: "Overflow",
    shape: "overflow",
    what: "Nothing more was done about the overflow",
    why: plain(d.reason),
    figure: `floor ${tokens(d.floor_tokens)}`,
  }),
  "window.opened": (d) => ({
    kind: "Window",
    what: `Window ${d.number} opened${d.checkpoint_id === null ? "" : ` from checkpoint ${d.checkpoint_id}`}`,
    why: windowEnd(d.cause),
    figure: `of ${tokens(d.max_tokens)}`,
  }),
  "window.resized": (d) => ({
    kind: "Window",
    what: `The window is ${tokens(d.max_tokens)}`,
    why: `learned: ${plain(d.learned_from)}`,
  }),
  "bootstrap.verified": (d) => ({
    kind: "Window",
    shape: "kept",
    what: `Bootstrap verified, ${d.passed} of ${count(d.checks, "check")}`,
    why: d.passed === d.checks ? "all as it was known" : `changed: ${(d.drifted ?? []).join(", ")}`,
  }),
  "checkpoint.saved": (d) => ({
    kind: "Checkpoint",
    shape: "checkpoint",
    what: `Checkpoint ${d.checkpoint_id} saved`,
    why: plain(d.reason),
    figure: `${compact(d.bytes)} bytes`,
    outcome: `state version ${d.state_version}`,
  }),
  "checkpoint.rejected": (d) => ({
    kind: "Checkpoint",
    shape: "notice",
    what: "A checkpoint was refused",
    why: plain(d.reason),
  }),
  "checkpoint.restored": (d) => ({
    kind: "Checkpoint",
    shape: "checkpoint",
    what: `Checkpoint ${d.checkpoint_id} loaded`,
    why: `saved by ${d.from_session_id}`,
  }),
  "constraint.reinserted": (d) => ({
    kind: "Rule",
    shape: "kept",
    what: `A rule of the ${d.source} was put back`,
    why: "the context did not show it any more",
  }),
  "note.written": (d) => ({
    kind: "Note",
    shape: "note",
    what: d.replaces === null ? `Note ${d.note_id} written` : `Note ${d.note_id} rewritten`,
    why: `${plain(d.category)}, ${d.importance}`,
    figure: tokens(d.tokens),
  }),
  "note.removed": (d) => ({ kind: "Note", shape: "note", what: `Note ${d.note_id} removed` }),
  "task.updated": (d) => ({
    kind: "Task",
    shape: "kept",
    what: d.newly_done > 0 ? `${count(d.newly_done, "subtask")} done` : "The task was updated",
    why: d.tool_name === null ? "told by the agent" : `from ${d.tool_name}`,
    figure: d.subtasks === 0 ? "" : `${d.done} of ${d.subtasks} done`,
  }),
  "delegation.opened": (d) => ({
    kind: "Delegation",
    shape: "out",
    what: `Delegated to ${d.child_session_id}`,
    why: d.title,
    figure: `may take in ${tokens(d.budget_tokens)}`,
  }),
  "delegation.closed": (d) => ({
    kind: "Delegation",
    shape: "out",
    what: `Delegation ${d.delegation_id} ${d.status}`,
    why: `by ${d.child_session_id}`,
    before: d.tokens_before,
    after: d.tokens_after,
  }),
  "session.opened": (d) => ({
    kind: "Session",
    what: `Opened by ${d.agent}`,
    why: `${d.model}, profile ${d.profile}`,
    figure: `window of ${tokens(d.max_context_tokens)}`,
  }),
  "session.closed": (d) => ({ kind: "Session", what: `Closed after ${count(d.turns, "turn")}`, why: plain(d.reason) }),
  "session.configured": () => ({ kind: "Session", what: "Its settings were changed" }),
  "session.resumed": (d) => ({ kind: "Session", what: `The agent went on in window ${d.window_number}` }),
};

function overflowTelling(data, entries) {
  const recovered = dataOf(entries, "overflow.recovered");
  const given = dataOf(entries, "overflow.given_up");
  const limit = data.reported_limit === null ? "" : ` of ${compact(data.reported_limit)}`;
  const size = data.reported_tokens === null ? "" : `: ${compact(data.reported_tokens)}${limit} tok`;
  return {
    kind: "Overflow",
    shape: "overflow",
    what:
      data.source === "stop_reason"
        ? "The answer was cut, the window was full"
        : `The provider refused the prompt${size}`,
    why: `${plain(data.kind)}, attempt ${data.attempt}`,
    before: recovered?.tokens_before ?? null,
    after: recovered?.tokens_after ?? null,
    outcome: given !== null ? `given up: ${plain(given.reason)}` : recovered !== null ? plain(recovered.action) : "",
  };
}
