import type { SessionKey } from "../model/session-key.ts";

/** One hook of one session as the journal keeps it: all its events in one row. */
export interface JournalRow {
  /** Position in the whole journal: rises, never reused. */
  readonly seq: number;
  /** Position in the session: 1, 2, 3 … without a gap. */
  readonly sessionSeq: number;
  /** Wall time of the append, ms since the epoch. Order is by `seq`, never by time. */
  readonly at: number;
  readonly hook: string;
  /** JSON text: owned by the manager. */
  readonly body: string;
}

export interface Content {
  /** `contentHash(body)` of the model: 64 hex digits. Another hash is refused. */
  readonly hash: string;
  /** Any text, lone surrogates and NUL included. */
  readonly body: string;
}

export interface AppendRequest {
  readonly key: SessionKey;
  /** Must be the session's last position + 1 (1 creates the session); otherwise `stale_revision`, `data.expected` tells. */
  readonly sessionSeq: number;
  readonly at: number;
  readonly hook: string;
  readonly body: string;
  /**
   * All contents that the row's events name. Stored once: a known hash costs nothing. They live as long as a row
   * that listed them or a snapshot in whose text the hash stands.
   */
  readonly contents: readonly Content[];
  /** Idempotency key of the call, if it had one; unique within the session for its life, else `idempotency_conflict`. */
  readonly idempotencyKey: string | null;
  /** A few hundred bytes of JSON that `sessions()` gives back without loading the session. */
  readonly summary: string;
  readonly closed: boolean;
  /** State after this row, when a snapshot is due. */
  readonly snapshot: string | null;
  /** What is known of a model from this row on, in place of what the tenant's rows taught before; absent or null: no news. */
  readonly learned?: Lesson | null;
}

/** `body` is JSON text: owned by the manager. `model` may be any name. */
export interface Lesson {
  readonly model: string;
  readonly body: string;
}

/** What is known of a model within a tenant. */
export interface LearnedModel extends Lesson {
  readonly tenant: string;
  /** Wall time of the row that taught it, ms since the epoch. */
  readonly at: number;
}

/** Models of a tenant of which the journal keeps what was learned: those learned of last. Agents choose the names. */
export const LEARNED_MODELS_KEPT = 1000;

export interface StoredSession {
  readonly key: SessionKey;
  readonly createdAt: number;
  readonly lastSessionSeq: number;
  readonly closed: boolean;
  readonly summary: string;
  /** True when the record does not verify: its fields cannot be trusted, and `load` rejects. */
  readonly damaged: boolean;
}

/** A closed session in the order of closing. */
export interface ClosedSession extends StoredSession {
  /** `seq` of the row that closed it. */
  readonly closedBy: number;
}

/** Closed sessions that the journal answers at once, so that no call holds up the others. */
export const CLOSED_AT_ONCE = 200;

export interface LoadedSession {
  /** Latest snapshot not after `upTo`; null when there is none. */
  readonly snapshot: { readonly sessionSeq: number; readonly body: string } | null;
  /** Rows after the snapshot, in order. */
  readonly tail: readonly JournalRow[];
}

export interface PruneReport {
  readonly sessions: number;
  readonly rows: number;
  readonly contents: number;
}

/**
 * The append-only journal of all sessions, with the contents their events name.
 *
 * `append` resolves when the row is durable (as far as the store promises it) and rejects with a
 * ContextdError `storage_unavailable`, nothing of the row stored, otherwise; `overloaded` when the queue is full.
 * Rows of one session must be appended one after the other; those of different sessions are committed in groups.
 *
 * What is read is verified: a session whose rows are not as they were written rejects with `quarantined`, a content
 * with `content_not_found`, both with `data.damaged`. Any call rejects with `storage_unavailable` when the disk fails.
 */
export interface Journal {
  readonly kind: "sqlite" | "postgres" | "memory";
  append(request: AppendRequest): Promise<{ readonly seq: number }>;
  /** null when the session is unknown. `invalid_params` when the rows up to `upTo` have been pruned. */
  load(key: SessionKey, upTo?: number): Promise<LoadedSession | null>;
  /** The contents asked for; a hash that is not stored is absent from the answer. */
  contents(hashes: readonly string[]): Promise<Map<string, string>>;
  /** The row that used this idempotency key, or null. */
  findIdempotent(key: SessionKey, idempotencyKey: string): Promise<JournalRow | null>;
  /** Sessions of all tenants, or of one, oldest first; the open ones, and with `closed` the closed ones too. */
  sessions(options?: { readonly tenant?: string; readonly closed?: boolean }): Promise<StoredSession[]>;
  /**
   * Closed sessions of a tenant, the one that closed last first: those that closed before the row `before` (default:
   * all), at most `limit` and at most CLOSED_AT_ONCE. One that was pruned is not among them.
   */
  closedSessions(options: {
    readonly tenant: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<ClosedSession[]>;
  /** How many closed sessions `closedSessions` would list of a tenant, counted up to `most`. */
  closedCount(options: { readonly tenant: string; readonly most: number }): Promise<number>;
  /**
   * Rows of a session, for the audit trail; at most `limit`. In order from `from` (inclusive; default the oldest), or
   * with `newestFirst` backwards from `from` (inclusive; default the last). None of an unknown session.
   */
  rows(
    key: SessionKey,
    options: { readonly from?: number; readonly limit: number; readonly newestFirst?: boolean },
  ): Promise<JournalRow[]>;
  /**
   * Recomputes the session's hash chain with its contents and last snapshot. `brokenAt` is the first position that
   * does not verify (0: the session's own record), or null. `session_not_found` when it is unknown.
   */
  verify(key: SessionKey): Promise<{ readonly rows: number; readonly brokenAt: number | null }>;
  /**
   * What is known of models, of all tenants, in the order in which it was last learned; of each tenant the newest
   * LEARNED_MODELS_KEPT models. It outlives the sessions that taught it and is stored with their rows, or not at all.
   * What does not verify is left out, with a warning in the log: it is learned anew.
   */
  learned(): Promise<readonly LearnedModel[]>;
  /** Highest `seq` stored; 0 when empty. */
  lastSeq(): Promise<number>;
  /**
   * Removes what is no longer needed of sessions whose last row is a closing one older than `closedBefore` (ms since
   * the epoch): their rows below the last snapshot, and contents that nothing names any more. Works in slices
   * between commits, so it may take long; ends early when the journal is closed.
   */
  prune(options: { readonly closedBefore: number }): Promise<PruneReport>;
  /** Figures for metrics: bytes on disk, WAL bytes, queue length, and counts since start. */
  stats(): JournalStats;
  /**
   * Waits for queued appends, then closes. Further calls reject with `storage_unavailable`. A process may open the
   * same data folder again only after it has exited: libsql keeps the lock as long as a statement is not collected.
   */
  close(): Promise<void>;
}

export interface JournalStats {
  readonly queued: number;
  readonly appends: number;
  readonly commits: number;
  readonly errors: number;
  readonly fileBytes: number;
  /** The write-ahead log: shrinks when it starts over, to at most 64 MB; more means that checkpoints fail. */
  readonly walBytes: number;
  readonly checkpoints: number;
  readonly checkpointErrors: number;
  /** Rows of the last commits and their durations in seconds, drained by the reader. */
  drainCommits(): readonly { readonly rows: number; readonly seconds: number }[];
  /** The last 512 commits at most, in no order; those that were drained as well. */
  recentCommits(): readonly { readonly rows: number; readonly seconds: number }[];
  /** What the store relies on, by the store's own names; empty where it has no settings. */
  readonly settings: Readonly<Record<string, string>>;
}
