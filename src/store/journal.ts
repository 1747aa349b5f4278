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
  /** SHA-256 of `body`, hex. */
  readonly hash: string;
  /** Any text, lone surrogates and NUL included. */
  readonly body: string;
}

export interface AppendRequest {
  readonly key: SessionKey;
  /** Must be the session's last position + 1 (1 creates the session); otherwise `conflict`. */
  readonly sessionSeq: number;
  readonly at: number;
  readonly hook: string;
  readonly body: string;
  /** Contents that the row's events name. Stored once: a known hash costs nothing. */
  readonly contents: readonly Content[];
  /** Idempotency key of the call, if it had one; unique within the session for its life. */
  readonly idempotencyKey: string | null;
  /** A few hundred bytes of JSON that `sessions()` gives back without loading the session. */
  readonly summary: string;
  readonly closed: boolean;
  /** State after this row, when a snapshot is due. */
  readonly snapshot: string | null;
}

export interface StoredSession {
  readonly key: SessionKey;
  readonly createdAt: number;
  readonly lastSessionSeq: number;
  readonly closed: boolean;
  readonly summary: string;
}

export interface LoadedSession {
  /** Latest snapshot not after `upTo`; null when there is none. */
  readonly snapshot: { readonly sessionSeq: number; readonly body: string } | null;
  /** Rows after the snapshot, in order. */
  readonly tail: readonly JournalRow[];
}

/**
 * The append-only journal of all sessions, with the contents their events name.
 *
 * `append` resolves when the row is durable (as far as the store promises it) and rejects with a
 * ContextdError `storage_unavailable`, nothing of the row stored, otherwise; `overloaded` when the queue is full.
 * Rows of one session must be appended one after the other; those of different sessions are committed in groups.
 */
export interface Journal {
  readonly kind: "sqlite" | "postgres" | "memory";
  append(request: AppendRequest): Promise<{ readonly seq: number }>;
  /** null when the session is unknown. */
  load(key: SessionKey, upTo?: number): Promise<LoadedSession | null>;
  /** The contents asked for; a hash that is not stored is absent from the answer. */
  contents(hashes: readonly string[]): Promise<Map<string, string>>;
  /** The row that used this idempotency key, or null. */
  findIdempotent(key: SessionKey, idempotencyKey: string): Promise<JournalRow | null>;
  /** Sessions of all tenants, or of one; open ones only unless `closed` is set. */
  sessions(options?: { readonly tenant?: string; readonly closed?: boolean }): Promise<StoredSession[]>;
  /** Rows of a session in order, for the audit trail; at most `limit`, from `from` (inclusive), or the newest first. */
  rows(
    key: SessionKey,
    options: { readonly from?: number; readonly limit: number; readonly newestFirst?: boolean },
  ): Promise<JournalRow[]>;
  /** Recomputes the session's hash chain. `brokenAt` is the first position that does not verify, or null. */
  verify(key: SessionKey): Promise<{ readonly rows: number; readonly brokenAt: number | null }>;
  /** Highest `seq` stored; 0 when empty. */
  lastSeq(): Promise<number>;
  /** Figures for metrics: bytes on disk, WAL bytes, queue length, and counts since start. */
  stats(): JournalStats;
  /** Waits for queued appends, then closes. Further calls reject with `storage_unavailable`. */
  close(): Promise<void>;
}

export interface JournalStats {
  readonly queued: number;
  readonly appends: number;
  readonly commits: number;
  readonly errors: number;
  readonly fileBytes: number;
  readonly walBytes: number;
  /** Rows of the last commits and their durations in seconds, drained by the reader. */
  drainCommits(): readonly { readonly rows: number; readonly seconds: number }[];
}
