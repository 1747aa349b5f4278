import type { CoreEvent, EventType } from "../model/events.ts";
import { isLearned } from "../model/window-source.ts";
import { carriedFolds } from "./folds/carried.ts";
import { contextFolds } from "./folds/context.ts";
import { editsFolds } from "./folds/edits.ts";
import type { Fold, Folds } from "./folds/fold.ts";
import { jobsFolds } from "./folds/jobs.ts";
import { lifecycleFolds } from "./folds/lifecycle.ts";
import { pressureFolds } from "./folds/pressure.ts";
import { workFolds } from "./folds/work.ts";
import { foldHealth } from "./health-fold.ts";
import type { Parts } from "./live-context.ts";
import { foldRegret } from "./regret-fold.ts";
import type { Session } from "./session.ts";

/** How many changes are kept for patches: a base older than that gets the full list. */
const CHANGES_KEPT = 4096;

const FOLDS: Folds = {
  ...lifecycleFolds,
  ...pressureFolds,
  ...contextFolds,
  ...editsFolds,
  ...carriedFolds,
  ...jobsFolds,
  ...workFolds,
};

/** Events that change what a checkpoint holds. */
const CHANGES_STATE: ReadonlySet<EventType> = new Set([
  "window.closed",
  "task.updated",
  "note.written",
  "note.removed",
  "constraint.reinserted",
  "summary.rewritten",
  "delegation.opened",
  "delegation.closed",
  "checkpoint.restored",
]);

/** Applies one event in place. Throws when the event does not fit the state: the journal is damaged or a bug. */
export function apply(session: Session, event: CoreEvent, parts: Parts): void {
  session.health = foldHealth(session.health, event, (id) => session.regret.regrets.has(id));
  foldRegret(session, event);
  const change = FOLDS[event.type] as Fold<EventType> | undefined;
  change?.(session, event.data, parts);
  if (CHANGES_STATE.has(event.type)) session.stateVersion++;
}

/** Ends the batch of one hook: the revision rises by one when the managed context changed. */
export function closeBatch(session: Session, at: number): void {
  session.position++;
  session.lastSeen = at;
  const { from, at: learnedAt } = session.windowSource;
  if (learnedAt === null && isLearned(from)) session.windowSource = { from, at };
  if (session.dirty.size === 0) return;
  session.revision++;
  for (const [messageId, added] of session.dirty) {
    session.changes.push({ revision: session.revision, messageId, added });
  }
  if (session.changes.length > 2 * CHANGES_KEPT) session.changes = session.changes.slice(-CHANGES_KEPT);
  session.dirty = new Map();
}
