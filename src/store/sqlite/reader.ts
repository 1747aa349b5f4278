import { setImmediate as nextTurn } from "node:timers/promises";
import { ContextdError } from "../../model/errors.ts";
import { keyText, type SessionKey } from "../../model/session-key.ts";
import { damagedSession, prunedPosition, unavailable, unknownSession } from "../errors.ts";
import {
  CLOSED_AT_ONCE,
  type ClosedSession,
  type Journal,
  type JournalRow,
  type LearnedModel,
  type LoadedSession,
  type StoredSession,
} from "../journal.ts";
import { faultOf } from "./driver.ts";
import type { RowWriter, Tables } from "./row-writer.ts";
import type { ListedSession, SessionRecord } from "./session-table.ts";

/** Rows checked, or sessions listed, before the event loop gets a turn. */
const SLICE = 200;

/** Everything that reads. Synchronous within a session, so that no commit or pruning comes in between. */
export class Reader {
  readonly #tables: Tables;
  readonly #rows: RowWriter;

  constructor(tables: Tables, rows: RowWriter) {
    this.#tables = tables;
    this.#rows = rows;
  }

  load(key: SessionKey, upTo: number | undefined): LoadedSession | null {
    const { sessions, journal } = this.#tables;
    return this.#ofSession(key, (record) => {
      const last = Math.min(upTo ?? record.lastSessionSeq, record.lastSessionSeq);
      const anchor = sessions.anchor(record.id);
      const snapshot = journal.snapshot(key, record.id, last);
      const start = snapshot?.sessionSeq ?? 0;
      if (start < anchor.sessionSeq) {
        const oldest = journal.lastSnapshotPosition(record.id) ?? anchor.sessionSeq + 1;
        throw last < oldest ? prunedPosition(key, last, oldest) : damagedSession(key, oldest);
      }
      const rows = journal.range(key, record.id, anchor, { from: start + 1, to: last });
      return { snapshot, tail: rows.map(({ row }) => row) };
    });
  }

  content(hash: string): string | null {
    try {
      return this.#tables.contents.read(hash);
    } catch (error) {
      throw error instanceof ContextdError ? error : unavailable("Reading the journal", error);
    }
  }

  learned(): LearnedModel[] {
    try {
      return this.#tables.learned.read();
    } catch (error) {
      throw unavailable("Reading what was learned of models", error);
    }
  }

  findIdempotent(key: SessionKey, idempotencyKey: string): JournalRow | null {
    const { sessions, journal } = this.#tables;
    return this.#ofSession(key, (record) => {
      const position = this.#rows.idempotentPosition(record.id, idempotencyKey);
      if (position === null) return null;
      const span = { from: position, to: position };
      return journal.range(key, record.id, sessions.anchor(record.id), span)[0]?.row ?? null;
    });
  }

  rows(key: SessionKey, options: Parameters<Journal["rows"]>[1]): JournalRow[] {
    const { sessions, journal } = this.#tables;
    const read = (record: SessionRecord): JournalRow[] => {
      const anchor = sessions.anchor(record.id);
      const oldest = anchor.sessionSeq + 1;
      if (options.newestFirst === true) {
        const to = Math.min(options.from ?? record.lastSessionSeq, record.lastSessionSeq);
        const from = Math.max(oldest, to - options.limit + 1);
        return journal
          .range(key, record.id, anchor, { from, to })
          .map(({ row }) => row)
          .reverse();
      }
      const from = Math.max(oldest, options.from ?? oldest);
      const span = { from, to: record.lastSessionSeq, limit: options.limit };
      return journal.range(key, record.id, anchor, span).map(({ row }) => row);
    };
    return this.#ofSession(key, read) ?? [];
  }

  async sessions(
    options: NonNullable<Parameters<Journal["sessions"]>[0]>,
    isClosed: () => boolean,
  ): Promise<StoredSession[]> {
    const found: StoredSession[] = [];
    for (let after = 0; !isClosed(); ) {
      let page: ReturnType<Tables["sessions"]["list"]>;
      try {
        page = this.#tables.sessions.list(after, options.tenant ?? null, options.closed === true, SLICE);
      } catch (error) {
        throw unavailable("Listing the sessions", error);
      }
      for (const { listed } of page) found.push(storedSession(listed));
      const last = page.at(-1);
      if (last === undefined || page.length < SLICE) break;
      after = last.id;
      await nextTurn();
    }
    return found;
  }

  closedSessions({ tenant, before, limit }: Parameters<Journal["closedSessions"]>[0]): ClosedSession[] {
    const { sessions, closed } = this.#tables;
    try {
      const page = closed.page(tenant, before ?? Number.MAX_SAFE_INTEGER, Math.min(limit, CLOSED_AT_ONCE));
      return page.map(({ session, seq }) => {
        const listed = storedSession(sessions.listed(session, tenant));
        // Another tenant's, or an open one, under this place: the order is damaged, and nothing of it is told.
        const isOfHere = listed.closed && listed.key.tenant === tenant;
        return { ...listed, damaged: listed.damaged || !isOfHere, closedBy: seq };
      });
    } catch (error) {
      throw unavailable("Listing the closed sessions", error);
    }
  }

  closedCount({ tenant, most }: Parameters<Journal["closedCount"]>[0]): number {
    try {
      return this.#tables.closed.count(tenant, most);
    } catch (error) {
      throw unavailable("Counting the closed sessions", error);
    }
  }

  /** A slice of rows at a time: pruning may move the anchor in between, never past what is still to be checked. */
  async verify(key: SessionKey): Promise<{ rows: number; brokenAt: number | null }> {
    let rows = 0;
    try {
      let position = 0;
      for (;;) {
        const slice = this.#ofSession(key, (record) => this.#verifySlice(key, record, position));
        if (slice === null) throw unknownSession(key);
        rows += slice.rows;
        position = slice.position;
        if (slice.done) return { rows, brokenAt: null };
        await nextTurn();
      }
    } catch (error) {
      if (!(error instanceof ContextdError) || error.data["damaged"] !== true) throw error;
      const position = error.data["position"];
      return { rows, brokenAt: typeof position === "number" ? position : 0 };
    }
  }

  #verifySlice(
    key: SessionKey,
    record: SessionRecord,
    after: number,
  ): { rows: number; position: number; done: boolean } {
    const { sessions, journal, contents } = this.#tables;
    const anchor = sessions.anchor(record.id);
    const from = Math.max(after, anchor.sessionSeq) + 1;
    const rows = journal.range(key, record.id, anchor, { from, to: record.lastSessionSeq, limit: SLICE });
    for (const { row, contentHashes } of rows) {
      for (const hash of contentHashes) {
        try {
          if (contents.read(hash) !== null) continue;
        } catch (error) {
          throw damagedSession(key, row.sessionSeq, error);
        }
        throw damagedSession(key, row.sessionSeq);
      }
    }
    const last = rows.at(-1);
    const position = last?.row.sessionSeq ?? from - 1;
    const done = position >= record.lastSessionSeq;
    if (done) {
      if ((last?.chain ?? anchor.chain) !== record.chain && rows.length > 0) throw damagedSession(key, position);
      const snapshotAt = journal.lastSnapshotPosition(record.id);
      if (snapshotAt !== null && journal.snapshot(key, record.id, snapshotAt)?.sessionSeq !== snapshotAt) {
        throw damagedSession(key, snapshotAt);
      }
    }
    return { rows: rows.length, position, done };
  }

  /** null when the session is unknown; what is wrong with its part of the file becomes a damaged session. */
  #ofSession<T>(key: SessionKey, read: (record: SessionRecord) => T): T | null {
    try {
      const record = this.#tables.sessions.find(key);
      return record === null ? null : read(record);
    } catch (error) {
      if (error instanceof ContextdError) throw error;
      const fault = faultOf(error);
      if (fault === "row" || fault === "corrupt") throw damagedSession(key, null, error);
      throw unavailable(`Reading session ${keyText(key)}`, error);
    }
  }
}

function storedSession({ session, damaged }: ListedSession): StoredSession {
  const { key, createdAt, lastSessionSeq, closed, summary } = session;
  return { key, createdAt, lastSessionSeq, closed, summary, damaged };
}
