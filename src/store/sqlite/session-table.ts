import type { SessionKey } from "../../model/session-key.ts";
import { type SealedSession, sessionSeal } from "../chain.ts";
import { damagedSession } from "../errors.ts";
import { RecentMap } from "../recent.ts";
import { readHex, readKey, readNumber, readText, storedKey, storedName } from "./columns.ts";
import type { Connection, SqlRow } from "./driver.ts";

/** A session's record. */
export interface SessionRecord extends SealedSession {
  readonly id: number;
  /** Chain of the last row. */
  readonly chain: string;
}

/** Where the chain of what is left begins: at the last pruned row, or at the genesis (position 0). */
export interface Anchor {
  readonly sessionSeq: number;
  readonly chain: string;
}

export interface ListedSession {
  readonly session: SealedSession;
  readonly damaged: boolean;
}

const KEPT = 4096;
const COLUMNS = "id, CAST(key AS BLOB), created, last_seq, closed, chain, seal, CAST(summary AS BLOB)";

function readRecord(row: SqlRow): { readonly record: SessionRecord; readonly sealed: boolean } {
  const record: SessionRecord = {
    id: readNumber(row[0]),
    key: readKey(readText(row[1])),
    createdAt: readNumber(row[2]),
    lastSessionSeq: readNumber(row[3]),
    closed: readNumber(row[4]) !== 0,
    chain: readHex(row[5]),
    summary: readText(row[7]),
  };
  return { record, sealed: sessionSeal(record.chain, record) === readHex(row[6]) };
}

/** The sessions' records. What the open transaction wrote is seen by it alone until `committed`. */
export class SessionTable {
  readonly #recent = new RecentMap<string, SessionRecord>(KEPT);
  readonly #uncommitted = new Map<string, SessionRecord>();
  readonly #verify: boolean;
  readonly #statements;
  #nextId: number;
  #committedNextId: number;

  constructor(connection: Connection, verify: boolean) {
    this.#verify = verify;
    this.#statements = {
      find: connection.prepare(`SELECT ${COLUMNS} FROM session WHERE key = ?`),
      byId: connection.prepare(`SELECT ${COLUMNS} FROM session WHERE id = ?`),
      list: connection.prepare(`SELECT ${COLUMNS} FROM session WHERE id > ? AND closed <= ? ORDER BY id LIMIT ?`),
      listOfTenant: connection.prepare(
        `SELECT ${COLUMNS} FROM session WHERE id > ? AND closed <= ? AND key >= ? AND key < ? ORDER BY id LIMIT ?`,
      ),
      insert: connection.prepare(
        "INSERT INTO session (id, key, created, last_seq, closed, chain, anchor_seq, anchor, seal, summary) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
      ),
      update: connection.prepare(
        "UPDATE session SET last_seq = ?, closed = ?, chain = ?, seal = ?, summary = ? WHERE id = ?",
      ),
      anchor: connection.prepare("SELECT anchor_seq, anchor FROM session WHERE id = ?"),
      moveAnchor: connection.prepare("UPDATE session SET anchor_seq = ?, anchor = ? WHERE id = ?"),
    };
    this.#nextId = 1 + readNumber(connection.prepare("SELECT coalesce(max(id), 0) FROM session").get([])?.[0]);
    this.#committedNextId = this.#nextId;
  }

  /** The record, or null. Throws when it is damaged. */
  find(key: SessionKey): SessionRecord | null {
    const stored = storedKey(key);
    const near = this.#uncommitted.get(stored) ?? this.#recent.get(stored);
    if (near !== undefined) return near;
    const row = this.#statements.find.get([stored]);
    if (row === undefined) return null;
    const { record, sealed } = this.#read(row, key);
    if (this.#verify && (!sealed || storedKey(record.key) !== stored)) throw damagedSession(key, null);
    this.#recent.set(stored, record);
    return record;
  }

  byId(id: number): SessionRecord | null {
    const row = this.#statements.byId.get([id]);
    return row === undefined ? null : readRecord(row).record;
  }

  #read(row: SqlRow, key: SessionKey): ReturnType<typeof readRecord> {
    try {
      return readRecord(row);
    } catch (error) {
      throw damagedSession(key, null, error);
    }
  }

  /** Within a transaction. `genesis` is what the first row was chained to. */
  insert(session: Omit<SessionRecord, "id">, genesis: string): number {
    const id = this.#nextId++;
    this.#statements.insert.run([
      id,
      storedKey(session.key),
      session.createdAt,
      session.lastSessionSeq,
      Number(session.closed),
      Buffer.from(session.chain, "hex"),
      Buffer.from(genesis, "hex"),
      Buffer.from(sessionSeal(session.chain, session), "hex"),
      session.summary,
    ]);
    this.#uncommitted.set(storedKey(session.key), { ...session, id });
    return id;
  }

  /** Within a transaction. */
  update(record: SessionRecord): void {
    this.#statements.update.run([
      record.lastSessionSeq,
      Number(record.closed),
      Buffer.from(record.chain, "hex"),
      Buffer.from(sessionSeal(record.chain, record), "hex"),
      record.summary,
      record.id,
    ]);
    this.#uncommitted.set(storedKey(record.key), record);
  }

  committed(): void {
    for (const [key, record] of this.#uncommitted) this.#recent.set(key, record);
    this.#uncommitted.clear();
    this.#committedNextId = this.#nextId;
  }

  rolledBack(): void {
    this.#uncommitted.clear();
    this.#recent.clear();
    this.#nextId = this.#committedNextId;
  }

  anchor(id: number): Anchor {
    const row = this.#statements.anchor.get([id]);
    return { sessionSeq: readNumber(row?.[0]), chain: readHex(row?.[1]) };
  }

  /** Within a transaction. */
  moveAnchor(id: number, anchor: Anchor): void {
    this.#statements.moveAnchor.run([anchor.sessionSeq, Buffer.from(anchor.chain, "hex"), id]);
  }

  /** Sessions in order of creation with an id above `after`; `tenant` null: of all. */
  list(
    after: number,
    tenant: string | null,
    withClosed: boolean,
    limit: number,
  ): { id: number; listed: ListedSession }[] {
    const closed = withClosed ? 1 : 0;
    const rows =
      tenant === null
        ? this.#statements.list.all([after, closed, limit])
        : // "0" is the character after "/": the range holds the keys that begin with "tenant/".
          this.#statements.listOfTenant.all([after, closed, `${storedName(tenant)}/`, `${storedName(tenant)}0`, limit]);
    return rows.map((row) => ({ id: readNumber(row[0]), listed: this.#listed(row, tenant) }));
  }

  /** One session by its id as a list shows it. `tenant`: whose it is. */
  listed(id: number, tenant: string): ListedSession {
    const row = this.#statements.byId.get([id]);
    return row === undefined ? unreadable(id, tenant) : this.#listed(row, tenant);
  }

  #listed(row: SqlRow, tenant: string | null): ListedSession {
    try {
      const { record, sealed } = readRecord(row);
      return { session: record, damaged: this.#verify && !sealed };
    } catch {
      return unreadable(readNumber(row[0]), tenant);
    }
  }
}

/** Too damaged to read: listed under what can still be shown of its key, so that an operator sees it. */
function unreadable(id: number, tenant: string | null): ListedSession {
  const session: SealedSession = {
    key: { tenant: tenant ?? "", id: `#${id}` },
    createdAt: 0,
    lastSessionSeq: 0,
    closed: false,
    summary: "",
  };
  return { session, damaged: true };
}
