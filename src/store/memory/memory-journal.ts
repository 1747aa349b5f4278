import { contentHash } from "../../model/content-hash.ts";
import { keyText, type SessionKey } from "../../model/session-key.ts";
import { genesis, nextChain } from "../chain.ts";
import { CommitLog } from "../commit-log.ts";
import { closedJournal, conflict, faultyRow, prunedPosition, unknownSession, usedIdempotencyKey } from "../errors.ts";
import {
  type AppendRequest,
  CLOSED_AT_ONCE,
  type ClosedSession,
  type Journal,
  type JournalRow,
  type JournalStats,
  LEARNED_MODELS_KEPT,
  type LearnedModel,
  type LoadedSession,
  type PruneReport,
  type StoredSession,
} from "../journal.ts";

interface StoredRow {
  readonly row: JournalRow;
  readonly idempotencyKey: string | null;
  readonly chain: string;
  readonly contentHashes: readonly string[];
}

interface Session {
  readonly key: SessionKey;
  readonly createdAt: number;
  /** Position of the last pruned row, and its chain. */
  anchor: { sessionSeq: number; chain: string };
  /** Positions anchor + 1, anchor + 2, … */
  rows: StoredRow[];
  snapshots: { readonly sessionSeq: number; readonly body: string }[];
  readonly keys: Map<string, number>;
  /** `seq` of the row that closed it; null while it is open. */
  closedBy: number | null;
  summary: string;
}

/** A journal that is gone with the process: for tests, and for `store.kind: memory`. It promises no durability. */
export class MemoryJournal implements Journal {
  readonly kind = "memory";
  readonly #sessions = new Map<string, Session>();
  readonly #contents = new Map<string, string>();
  /** By tenant and model, with the row that taught it; of each tenant in the order in which it was last learned. */
  readonly #learned = new Map<string, Map<string, { readonly learned: LearnedModel; readonly seq: number }>>();
  readonly #commits = new CommitLog();
  #seq = 0;
  #appends = 0;
  #closed = false;

  async append(request: AppendRequest): Promise<{ readonly seq: number }> {
    this.#checkOpen();
    const { key, sessionSeq, at, hook, body, idempotencyKey } = request;
    const session = this.#sessions.get(keyText(key));
    const expected = session === undefined ? 1 : lastPosition(session) + 1;
    if (sessionSeq !== expected) throw conflict(key, sessionSeq, expected);
    if (idempotencyKey !== null && session?.keys.has(idempotencyKey)) throw usedIdempotencyKey(key);
    for (const { hash, body: text } of request.contents) {
      if (!this.#contents.has(hash) && contentHash(text) !== hash) {
        throw faultyRow(key, new Error("a content's hash is not that of its text"));
      }
    }

    const target = session ?? this.#create(request);
    const contentHashes = [...new Set(request.contents.map(({ hash }) => hash))];
    for (const { hash, body: text } of request.contents) this.#contents.set(hash, text);
    const row: JournalRow = { seq: ++this.#seq, sessionSeq, at, hook, body };
    const chain = nextChain(lastChain(target), { ...row, idempotencyKey }, contentHashes);
    target.rows.push({ row, idempotencyKey, chain, contentHashes });
    if (idempotencyKey !== null) target.keys.set(idempotencyKey, sessionSeq);
    if (request.snapshot !== null) target.snapshots.push({ sessionSeq, body: request.snapshot });
    target.summary = request.summary;
    target.closedBy = request.closed ? (target.closedBy ?? row.seq) : null;
    this.#learn(request);
    this.#appends++;
    this.#commits.add(1, 0);
    return { seq: row.seq };
  }

  #learn({ key: { tenant }, at, learned }: AppendRequest): void {
    if (!learned) return;
    const { model, body } = learned;
    const models = this.#learned.get(tenant) ?? new Map();
    this.#learned.set(tenant, models);
    models.delete(model);
    models.set(model, { learned: { tenant, model, body, at }, seq: this.#seq });
    if (models.size <= LEARNED_MODELS_KEPT) return;
    const [oldest] = models.keys();
    models.delete(oldest as string);
  }

  #create({ key, at }: AppendRequest): Session {
    const session: Session = {
      key,
      createdAt: at,
      anchor: { sessionSeq: 0, chain: genesis(key, at) },
      rows: [],
      snapshots: [],
      keys: new Map(),
      closedBy: null,
      summary: "",
    };
    this.#sessions.set(keyText(key), session);
    return session;
  }

  async load(key: SessionKey, upTo?: number): Promise<LoadedSession | null> {
    const session = this.#find(key);
    if (session === undefined) return null;
    const last = Math.min(upTo ?? Number.POSITIVE_INFINITY, lastPosition(session));
    const snapshot = session.snapshots.findLast(({ sessionSeq }) => sessionSeq <= last) ?? null;
    if (snapshot === null && session.anchor.sessionSeq > 0) {
      throw prunedPosition(key, last, session.snapshots[0]?.sessionSeq ?? 0);
    }
    return { snapshot, tail: between(session, (snapshot?.sessionSeq ?? 0) + 1, last) };
  }

  async contents(hashes: readonly string[]): Promise<Map<string, string>> {
    this.#checkOpen();
    const found = new Map<string, string>();
    for (const hash of hashes) {
      const text = this.#contents.get(hash);
      if (text !== undefined) found.set(hash, text);
    }
    return found;
  }

  async findIdempotent(key: SessionKey, idempotencyKey: string): Promise<JournalRow | null> {
    const session = this.#find(key);
    const position = session?.keys.get(idempotencyKey);
    return session === undefined || position === undefined ? null : (between(session, position, position)[0] ?? null);
  }

  async sessions(options: Parameters<Journal["sessions"]>[0] = {}): Promise<StoredSession[]> {
    this.#checkOpen();
    return [...this.#sessions.values()]
      .filter(
        ({ key, closedBy }) =>
          (options.closed === true || closedBy === null) && key.tenant === (options.tenant ?? key.tenant),
      )
      .map(stored);
  }

  async closedSessions(options: Parameters<Journal["closedSessions"]>[0]): Promise<ClosedSession[]> {
    return this.#closedOf(options.tenant)
      .filter(({ closedBy }) => closedBy < (options.before ?? Number.MAX_SAFE_INTEGER))
      .sort((a, b) => b.closedBy - a.closedBy)
      .slice(0, Math.min(options.limit, CLOSED_AT_ONCE));
  }

  async closedCount({ tenant, most }: Parameters<Journal["closedCount"]>[0]): Promise<number> {
    return Math.min(most, this.#closedOf(tenant).length);
  }

  #closedOf(tenant: string): ClosedSession[] {
    this.#checkOpen();
    return [...this.#sessions.values()].flatMap((session) => {
      const { key, closedBy, anchor } = session;
      const isListed = closedBy !== null && anchor.sessionSeq === 0 && key.tenant === tenant;
      return isListed ? [{ ...stored(session), closedBy }] : [];
    });
  }

  async rows(key: SessionKey, options: Parameters<Journal["rows"]>[1]): Promise<JournalRow[]> {
    const session = this.#find(key);
    if (session === undefined) return [];
    if (options.newestFirst === true) {
      const to = Math.min(options.from ?? lastPosition(session), lastPosition(session));
      return between(session, to - options.limit + 1, to).reverse();
    }
    const from = Math.max(options.from ?? 0, session.anchor.sessionSeq + 1);
    return between(session, from, from + options.limit - 1);
  }

  async verify(key: SessionKey): Promise<{ rows: number; brokenAt: number | null }> {
    const session = this.#find(key);
    if (session === undefined) throw unknownSession(key);
    let previous = session.anchor.chain;
    for (const { row, idempotencyKey, chain, contentHashes } of session.rows) {
      const whole = contentHashes.every((hash) => this.#contents.has(hash));
      if (!whole || nextChain(previous, { ...row, idempotencyKey }, contentHashes) !== chain) {
        return { rows: row.sessionSeq - session.anchor.sessionSeq - 1, brokenAt: row.sessionSeq };
      }
      previous = chain;
    }
    return { rows: session.rows.length, brokenAt: null };
  }

  async learned(): Promise<LearnedModel[]> {
    this.#checkOpen();
    const all = [...this.#learned.values()].flatMap((models) => [...models.values()]);
    return all.sort((a, b) => a.seq - b.seq).map(({ learned }) => learned);
  }

  async lastSeq(): Promise<number> {
    this.#checkOpen();
    return this.#seq;
  }

  async prune({ closedBefore }: { readonly closedBefore: number }): Promise<PruneReport> {
    this.#checkOpen();
    const report = { sessions: 0, rows: 0, contents: 0 };
    for (const session of this.#sessions.values()) {
      const snapshot = session.snapshots.at(-1);
      const endedAt = session.rows.at(-1)?.row.at ?? 0;
      if (session.closedBy === null || endedAt >= closedBefore || snapshot === undefined) continue;
      const pruned = session.rows.filter(({ row }) => row.sessionSeq < snapshot.sessionSeq);
      const last = pruned.at(-1);
      if (last === undefined) continue;
      session.rows = session.rows.slice(pruned.length);
      session.snapshots = [snapshot];
      session.anchor = { sessionSeq: last.row.sessionSeq, chain: last.chain };
      for (const [name, position] of session.keys) {
        if (position <= last.row.sessionSeq) session.keys.delete(name);
      }
      report.sessions++;
      report.rows += pruned.length;
    }
    if (report.rows > 0) report.contents = this.#sweep();
    return report;
  }

  #sweep(): number {
    const used = new Set<string>();
    for (const { rows, snapshots } of this.#sessions.values()) {
      for (const { contentHashes } of rows) for (const hash of contentHashes) used.add(hash);
      for (const { body } of snapshots) for (const [hash] of body.matchAll(/[0-9a-f]{64}/g)) used.add(hash);
    }
    const unused = [...this.#contents.keys()].filter((hash) => !used.has(hash));
    for (const hash of unused) this.#contents.delete(hash);
    return unused.length;
  }

  stats(): JournalStats {
    return {
      queued: 0,
      appends: this.#appends,
      commits: this.#appends,
      errors: 0,
      fileBytes: 0,
      walBytes: 0,
      checkpoints: 0,
      checkpointErrors: 0,
      drainCommits: () => this.#commits.drain(),
      recentCommits: () => this.#commits.recent(),
      settings: {},
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #checkOpen(): void {
    if (this.#closed) throw closedJournal();
  }

  #find(key: SessionKey): Session | undefined {
    this.#checkOpen();
    return this.#sessions.get(keyText(key));
  }
}

function stored(session: Session): StoredSession {
  const { key, createdAt, closedBy, summary } = session;
  const lastSessionSeq = lastPosition(session);
  return { key, createdAt, lastSessionSeq, closed: closedBy !== null, summary, damaged: false };
}

function lastPosition({ anchor, rows }: Session): number {
  return anchor.sessionSeq + rows.length;
}

function lastChain({ anchor, rows }: Session): string {
  return rows.at(-1)?.chain ?? anchor.chain;
}

/** Rows of the positions `from` to `to`, as far as there are any. */
function between({ anchor, rows }: Session, from: number, to: number): JournalRow[] {
  const offset = anchor.sessionSeq + 1;
  return rows.slice(Math.max(0, from - offset), Math.max(0, to - offset + 1)).map(({ row }) => row);
}
