import type { SessionKey } from "../../model/session-key.ts";
import { nextChain, snapshotSeal } from "../chain.ts";
import { damagedSession } from "../errors.ts";
import type { JournalRow } from "../journal.ts";
import { decodeText, type EncodedText } from "../text-codec.ts";
import { readBytes, readHashes, readHex, readName, readNumber, readText, storedHashes, storedName } from "./columns.ts";
import type { Connection, SqlRow } from "./driver.ts";
import type { Anchor } from "./session-table.ts";

export interface ChainedJournalRow {
  readonly row: JournalRow;
  readonly idempotencyKey: string | null;
  readonly chain: string;
  readonly contentHashes: readonly string[];
}

const COLUMNS = "seq, sseq, at, CAST(hook AS BLOB), chain, refs, CAST(body AS BLOB), CAST(idem AS BLOB)";

function readRow(row: SqlRow): ChainedJournalRow {
  return {
    row: {
      seq: readNumber(row[0]),
      sessionSeq: readNumber(row[1]),
      at: readNumber(row[2]),
      hook: readText(row[3]),
      body: readText(row[6]),
    },
    idempotencyKey: row[7] === null ? null : readName(readText(row[7])),
    chain: readHex(row[4]),
    contentHashes: readHashes(row[5]),
  };
}

/** Rows, snapshots and idempotency keys of the sessions. Every row that is read is checked against its chain. */
export class JournalTable {
  readonly #verify: boolean;
  readonly #statements;

  constructor(connection: Connection, verify: boolean) {
    this.#verify = verify;
    this.#statements = {
      lastSeq: connection.prepare("SELECT coalesce(max(seq), 0) FROM journal"),
      insert: connection.prepare(
        "INSERT INTO journal (seq, sess, sseq, at, hook, idem, chain, refs, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ),
      up: connection.prepare(
        `SELECT ${COLUMNS} FROM journal WHERE sess = ? AND sseq >= ? AND sseq <= ? ORDER BY sseq LIMIT ?`,
      ),
      chain: connection.prepare("SELECT chain FROM journal WHERE sess = ? AND sseq = ?"),
      remove: connection.prepare("DELETE FROM journal WHERE sess = ? AND sseq <= ?"),
      refs: connection.prepare("SELECT seq, refs FROM journal WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"),
      addSnapshot: connection.prepare(
        "INSERT INTO snapshot (sess, sseq, enc, n, seal, body) VALUES (?, ?, ?, ?, ?, ?)",
      ),
      snapshots: connection.prepare(
        "SELECT sseq, enc, n, seal, body FROM snapshot WHERE sess = ? AND sseq <= ? ORDER BY sseq DESC LIMIT 1",
      ),
      lastSnapshot: connection.prepare("SELECT max(sseq) FROM snapshot WHERE sess = ?"),
      trimSnapshots: connection.prepare(
        "DELETE FROM snapshot WHERE sess = ? AND sseq < (SELECT sseq FROM snapshot WHERE sess = ? ORDER BY sseq DESC LIMIT 1 OFFSET ?)",
      ),
      lastSnapshotId: connection.prepare("SELECT coalesce(max(id), 0) FROM snapshot"),
      snapshotPage: connection.prepare(
        "SELECT id, enc, n, body FROM snapshot WHERE id > ? AND id <= ? ORDER BY id LIMIT 1",
      ),
      findKey: connection.prepare("SELECT sseq FROM journal WHERE sess = ? AND idem = ?"),
    };
  }

  lastSeq(): number {
    return readNumber(this.#statements.lastSeq.get([])?.[0]);
  }

  /** Within a transaction. */
  insert(session: number, { row, idempotencyKey, chain, contentHashes }: ChainedJournalRow): void {
    this.#statements.insert.run([
      row.seq,
      session,
      row.sessionSeq,
      row.at,
      row.hook,
      idempotencyKey === null ? null : storedName(idempotencyKey),
      Buffer.from(chain, "hex"),
      storedHashes(contentHashes),
      row.body,
    ]);
  }

  /**
   * Rows `from` to `to` (inclusive) in order, at most `limit`, none missing and each verified. Throws when one
   * is not as it was written. `from` must be above the anchor.
   */
  range(
    key: SessionKey,
    session: number,
    anchor: Anchor,
    span: { readonly from: number; readonly to: number; readonly limit?: number },
  ): ChainedJournalRow[] {
    const { from } = span;
    const count = Math.min(span.to - from + 1, span.limit ?? Number.MAX_SAFE_INTEGER);
    if (count <= 0) return [];
    let previous = this.#chainBefore(session, from, anchor);
    if (previous === null) throw damagedSession(key, from - 1);
    const stored = this.#statements.up.all([session, from, from + count - 1, count]);
    const rows: ChainedJournalRow[] = [];
    for (let position = from; position < from + count; position++) {
      const row = this.#readAt(key, position, stored[position - from]);
      if (
        this.#verify &&
        nextChain(previous, { ...row.row, idempotencyKey: row.idempotencyKey }, row.contentHashes) !== row.chain
      ) {
        throw damagedSession(key, position);
      }
      previous = row.chain;
      rows.push(row);
    }
    return rows;
  }

  #readAt(key: SessionKey, position: number, stored: SqlRow | undefined): ChainedJournalRow {
    if (stored === undefined) throw damagedSession(key, position);
    let row: ChainedJournalRow;
    try {
      row = readRow(stored);
    } catch (error) {
      throw damagedSession(key, position, error);
    }
    if (row.row.sessionSeq !== position) throw damagedSession(key, position);
    return row;
  }

  #chainBefore(session: number, position: number, anchor: Anchor): string | null {
    if (position - 1 === anchor.sessionSeq) return anchor.chain;
    const row = this.#statements.chain.get([session, position - 1]);
    return row === undefined ? null : readHex(row[0]);
  }

  /** Within a transaction: the rows up to a position. */
  removeUpTo(session: number, position: number): void {
    this.#statements.remove.run([session, position]);
  }

  /** Content hashes of the rows in (`after`, `upTo`], for the sweep's marks; at most `limit` rows. */
  references(after: number, upTo: number, limit: number): { readonly seq: number; readonly hashes: string[] }[] {
    return this.#statements.refs
      .all([after, upTo, limit])
      .map((row) => ({ seq: readNumber(row[0]), hashes: readHashes(row[1]) }));
  }

  /** Within a transaction. All but the newest `keep` go: rows rebuild what they held. */
  addSnapshot(
    key: SessionKey,
    session: number,
    position: number,
    text: string,
    encoded: EncodedText,
    keep: number,
  ): void {
    const seal = Buffer.from(snapshotSeal(key, position, text), "hex");
    this.#statements.addSnapshot.run([session, position, encoded.encoding, encoded.plainBytes, seal, encoded.bytes]);
    this.trimSnapshots(session, keep);
  }

  trimSnapshots(session: number, keep: number): void {
    this.#statements.trimSnapshots.run([session, session, keep - 1]);
  }

  lastSnapshotPosition(session: number): number | null {
    const position = this.#statements.lastSnapshot.get([session])?.[0];
    return typeof position === "number" ? position : null;
  }

  /** The newest snapshot not after `position` that is as it was written: a damaged one is passed by. */
  snapshot(
    key: SessionKey,
    session: number,
    position: number,
  ): { readonly sessionSeq: number; readonly body: string } | null {
    for (let at = position; ; ) {
      const row = this.#statements.snapshots.get([session, at]);
      if (row === undefined) return null;
      const sessionSeq = readNumber(row[0]);
      const body = readSnapshot(row[1], row[2], row[4]);
      if (body !== null && (!this.#verify || snapshotSeal(key, sessionSeq, body) === readHex(row[3]))) {
        return { sessionSeq, body };
      }
      at = sessionSeq - 1;
    }
  }

  /** The next snapshot with an id in (`after`, `upTo`], for the sweep's marks; its text is null when it is damaged. */
  nextSnapshot(after: number, upTo: number): { readonly id: number; readonly text: string | null } | null {
    const row = this.#statements.snapshotPage.get([after, upTo]);
    return row === undefined ? null : { id: readNumber(row[0]), text: readSnapshot(row[1], row[2], row[3]) };
  }

  lastSnapshotId(): number {
    return readNumber(this.#statements.lastSnapshotId.get([])?.[0]);
  }

  /** Position of the row that used the key, or null. */
  findIdempotencyKey(session: number, key: string): number | null {
    const row = this.#statements.findKey.get([session, storedName(key)]);
    return row === undefined ? null : readNumber(row[0]);
  }
}

function readSnapshot(
  encoding: SqlRow[number] | undefined,
  plainBytes: SqlRow[number] | undefined,
  bytes: SqlRow[number] | undefined,
): string | null {
  try {
    return decodeText({ encoding: readNumber(encoding), plainBytes: readNumber(plainBytes), bytes: readBytes(bytes) });
  } catch {
    return null;
  }
}
