import type { CheckpointDocument } from "./document.ts";

/** Where the session stands that a checkpoint is offered to. */
export interface SessionStanding {
  /** `taskHash` of the task as it was stated when the session was opened; null: the session has no task. */
  readonly taskHash: string | null;
  readonly windowNumber: number;
  readonly stateVersion: number;
  /** Wall time, ms since the epoch. */
  readonly now: number;
}

/** Why a well-formed checkpoint may not be loaded, with the figures that were compared. */
export type Refusal =
  | { readonly reason: "foreign"; readonly task_hash: string | null; readonly session_task_hash: string }
  | {
      readonly reason: "expired";
      readonly saved_at: string;
      readonly ttl_seconds: number;
      /** Seconds since it expired. */
      readonly expired_for_seconds: number;
    }
  | {
      readonly reason: "stale";
      readonly window_number: number;
      readonly session_window_number: number;
      readonly state_version: number;
      readonly session_state_version: number;
    };

type Judged = Pick<CheckpointDocument, "task_hash" | "saved_at" | "ttl_seconds" | "window_number" | "state_version">;

/**
 * Why the session must not load the checkpoint; null: it may. In this order: *foreign*, it is of another task, where
 * the session has one; *expired*, its time to live has passed; *stale*, its window is below the session's, or its
 * state version at or below it. Both only rise, so what is not above tells nothing that the session does not know.
 */
export function refusalOf(document: Judged, session: SessionStanding): Refusal | null {
  const { task_hash, saved_at, ttl_seconds, window_number, state_version } = document;
  if (session.taskHash !== null && task_hash !== session.taskHash) {
    return { reason: "foreign", task_hash, session_task_hash: session.taskHash };
  }
  if (ttl_seconds !== null) {
    const expiredFor = session.now - (Date.parse(saved_at) + ttl_seconds * 1000);
    if (expiredFor > 0) {
      return { reason: "expired", saved_at, ttl_seconds, expired_for_seconds: Math.ceil(expiredFor / 1000) };
    }
  }
  if (window_number < session.windowNumber || state_version <= session.stateVersion) {
    return {
      reason: "stale",
      window_number,
      session_window_number: session.windowNumber,
      state_version,
      session_state_version: session.stateVersion,
    };
  }
  return null;
}
