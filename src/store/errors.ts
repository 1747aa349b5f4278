import { ContextdError } from "../model/errors.ts";
import { keyText, type SessionKey } from "../model/session-key.ts";

/**
 * The store cannot be used at all: the daemon must not start, or must stop (exit code 3). The message is one
 * line that says what is wrong and what to do about it.
 */
export class UnusableStoreError extends Error {
  constructor(problem: string, cure: string, options?: ErrorOptions) {
    super(`${problem} ${cure}`.replaceAll(/\s*\n\s*/g, " "), options);
    this.name = "UnusableStoreError";
  }
}

/** The journal could not make a call durable, or could not read; the same call may succeed later. */
export function unavailable(doing: string, cause?: unknown): ContextdError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new ContextdError(
    "storage_unavailable",
    `${doing} failed${why}. Call again; if it persists, check the disk of the data folder.`,
    {},
    { cause },
  );
}

export function closedJournal(): ContextdError {
  return new ContextdError("storage_unavailable", "The journal is closed: the daemon is stopping. Call again later.");
}

export function overloaded(queue: number): ContextdError {
  return new ContextdError("overloaded", `${queue} appends wait already. Call again after Retry-After.`, { queue });
}

/** Somebody else appended to the session, or the caller skipped a position: `expected` is the free one. */
export function conflict(key: SessionKey, given: number, expected: number): ContextdError {
  return new ContextdError(
    "stale_revision",
    `Position ${given} of session ${keyText(key)} is not the next one (${expected}): load the session again.`,
    { conflict: true, given, expected },
  );
}

export function usedIdempotencyKey(key: SessionKey): ContextdError {
  return new ContextdError(
    "idempotency_conflict",
    `The idempotency key was used before in session ${keyText(key)}: ask for the row that used it.`,
  );
}

/** What is stored of the session does not verify: nothing of it is given out. */
export function damagedSession(key: SessionKey, position: number | null, cause?: unknown): ContextdError {
  const where = position === null ? "its record" : `position ${position}`;
  return new ContextdError(
    "quarantined",
    `The journal of session ${keyText(key)} is damaged at ${where}. Restore the data folder from a backup, or open a new session.`,
    { damaged: true, position },
    { cause },
  );
}

export function damagedContent(hash: string, cause?: unknown): ContextdError {
  return new ContextdError(
    "content_not_found",
    `The stored content ${hash.slice(0, 12)} is damaged. Restore the data folder from a backup.`,
    { damaged: true, hash },
    { cause },
  );
}

export function unknownSession(key: SessionKey): ContextdError {
  return new ContextdError("session_not_found", `The journal has no session ${keyText(key)}: open it first.`);
}

export function prunedPosition(key: SessionKey, position: number, oldest: number): ContextdError {
  return new ContextdError(
    "invalid_params",
    `Position ${position} of session ${keyText(key)} has been pruned; ${oldest} is the oldest that can be loaded.`,
    { position, oldest },
  );
}

/** A fault of the caller's or of ours that concerns one row only, whatever else is in its batch. */
export function faultyRow(key: SessionKey, cause: unknown): ContextdError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ContextdError(
    "internal_error",
    `The row for session ${keyText(key)} cannot be stored: ${why}`,
    {},
    { cause },
  );
}
