import type { EventType } from "../../model/events.ts";

/**
 * What each event says, in one sentence. The list of event types at run time: filters are checked against it, and
 * docs/events.md and the AsyncAPI document take their sentences from it.
 */
export const EVENT_MEANINGS: Readonly<Record<EventType, string>> = {
  "session.opened": "An agent opened a session.",
  "session.configured": "A session's settings were changed while it runs.",
  "session.closed": "A session ended; nothing more is taken for it.",
  "window.opened": "A context window began.",
  "window.closed": "A context window ended; a call that names it is refused from now on.",
  "turn.started": "An agent is about to call its model.",
  "turn.ended": "The model has answered; the provider's usage figures, where the agent reported them.",
  "usage.anchored": "The true size of the context was reported and replaces the estimate.",
  "window.resized": "The size of the window was learned or changed.",
  "pressure.measured": "The pressure on the window was measured: at a turn's start, within it, or after an edit.",
  "zone.changed": "The context moved to another zone.",
  "velocity.spiked": "A turn grew by far more than the session's baseline.",
  "status.changed": "What the daemon does for the session changed.",
  "budget.soft_exceeded": "A component went over its soft budget.",
  "budget.hard_exceeded": "A component went over its hard budget.",
  "budget.recovered": "A component is back below a limit it had exceeded.",
  "message.added": "A message joined the managed context.",
  "message.extended": "A block joined a message that was already there.",
  "block.added": "A block of content arrived.",
  "block.truncated": "A block was cut to its head and tail; the original is behind the handle.",
  "block.summarized": "A block was brought down to what matters of it; the original is behind the handle.",
  "block.evicted": "A block was taken out or replaced by a placeholder; the original is behind the handle.",
  "block.merged": "A block was replaced by a reference to a newer one that says the same.",
  "block.pinned": "A block was pinned: no pass takes it.",
  "block.unpinned": "A block lost its pin.",
  "block.referenced": "The model used an identifier that a block holds.",
  "history.diverged": "The agent's own history no longer holds some messages, so they left the managed context.",
  "message.removed": "A message left the managed context.",
  "summary.rewritten": "What has left the context was folded anew into the summary behind the task.",
  "compaction.started":
    "A model is asked to summarise what the next pass is to drop, or to shorten tool results; no call waits for it.",
  "summary.prepared": "The model's summary is there and was accepted; a later pass puts it in.",
  "results.prepared": "A model's shorter texts of tool results are there; a pass puts in those whose results stand.",
  "summary.failed": "A model gave no summary, or no text of a result, that could be used: the next pass goes without.",
  "summary.dropped": "What a model was asked for is not used.",
  "provider.edited": "The provider itself took content out of the prompt, or summarised what went before.",
  "history.compacted": "A pass over the context ended: what it freed, and the figures that decided it.",
  "ledger.rebuilt": "The lines carried over of evicted text were chosen anew, within a pass.",
  "fidelity.evaluated": "A fold was judged by how much of what it took out the context can still tell.",
  "note.written": "The agent wrote a note for itself.",
  "note.removed": "The agent took a note of its own away.",
  "task.updated": "What is known of the task changed: the agent told it, or wrote a todo list with a tool.",
  "standing.rewritten": "The message that keeps rules, task and notes in view was written anew, within a pass.",
  "constraint.reinserted": "A rule that the context no longer showed was put into the standing message.",
  "compaction.skipped": "A pass was considered and not made.",
  "compaction.failed": "A pass could not free what was needed.",
  "floor.detected": "What nothing can free fills the window up to red.",
  "overflow.reported": "The provider refused the prompt as too long.",
  "overflow.recovered": "After an overflow the context is smaller and can be sent again.",
  "regret.detected": "Content that an edit had taken out was needed again within ten turns.",
  "recall.served": "Evicted content was read back by its handle.",
  "delegation.opened": "A subtask was handed to a session with a window of its own.",
  "delegation.closed": "A child session's result came back to its parent; the whole of it is behind the handle.",
  "alert.raised": "A rule of the daemon's own fired.",
  "alert.resolved": "The cause of an alert is gone.",
  "config.reloaded": "A configuration was read anew, and taken over or refused.",
};

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(EVENT_MEANINGS, text);
}
