import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { Journal } from "./journal.ts";
import type { Driver } from "./sqlite/driver.ts";

/** Where a fault test may kill the process. */
export type Failpoint =
  /** Within a row: its session's record is written, the row is not. */
  | "mid_row"
  /** All rows of the batch are written, nothing is committed. */
  | "before_commit"
  /** The batch is on disk, nobody has been answered. */
  | "after_commit"
  /** Pages are about to move from the log to the database file; to hit the middle, arm a timer in another thread. */
  | "mid_checkpoint"
  /** The schema is being created or changed, within its transaction. */
  | "mid_migration";

/**
 * Bugs to order, each the control of a fault test: a durability test counts only if it goes red with one of these.
 * Never set outside tests.
 */
export interface UnsafeOptions {
  readonly synchronous?: "NORMAL" | "OFF";
  /** Each statement commits by itself. */
  readonly skipTransaction?: boolean;
  /** Appends are answered at once and written later. */
  readonly ackBeforeCommit?: boolean;
  /** Nothing that is read is verified. */
  readonly noHashChain?: boolean;
  /** Idempotency keys are forgotten at the end of the process. */
  readonly dedupInMemory?: boolean;
}

export interface CheckpointLimits {
  /** Pause after the last commit before pages are moved out of the log, ms. */
  readonly idleMs: number;
  /** Pause after which even a small log is moved, ms. */
  readonly restMs: number;
  /** Log bytes that make a short pause worth using. */
  readonly idleBytes: number;
  /** Log bytes at which there is no waiting for a pause. */
  readonly maxBytes: number;
}

export interface JournalOptions {
  readonly kind: Journal["kind"];
  /** Data folder; sqlite only. */
  readonly path?: string;
  /** Connection URL; postgres only. */
  readonly url?: string | null;
  /** Appends that may wait; further ones are refused with `overloaded`. */
  readonly queue?: number;
  readonly checkpoint?: Partial<CheckpointLimits>;
  readonly failpoint?: (name: Failpoint) => void;
  readonly unsafe?: UnsafeOptions;
}

export interface JournalDependencies {
  readonly clock?: Clock;
  /** Told of a check after an unclean stop, a failed checkpoint, a session that cannot be pruned. */
  readonly log?: Log;
  /** The SQLite binding; by default the best that this Node.js can load. */
  readonly driver?: Driver;
}
