import { readNumber, storedName } from "./columns.ts";
import type { Connection } from "./driver.ts";

/** A closed session's place in the order of closing. */
export interface Closing {
  readonly session: number;
  /** `seq` of the journal's row that closed it. */
  readonly seq: number;
}

/**
 * The closed sessions of each tenant in the order in which they closed, as long as all their rows are kept: what a list
 * of them is read by. It holds nothing that the sessions' own records do not tell but the order.
 */
export class ClosedTable {
  readonly #statements;

  constructor(connection: Connection) {
    this.#statements = {
      insert: connection.prepare("INSERT INTO closed_session (seq, sess, tenant) VALUES (?, ?, ?)"),
      remove: connection.prepare("DELETE FROM closed_session WHERE sess = ?"),
      page: connection.prepare(
        "SELECT seq, sess FROM closed_session WHERE tenant = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
      ),
      count: connection.prepare("SELECT count(*) FROM (SELECT 1 FROM closed_session WHERE tenant = ? LIMIT ?)"),
    };
  }

  /** Within a transaction. */
  add({ session, seq }: Closing, tenant: string): void {
    this.#statements.insert.run([seq, session, storedName(tenant)]);
  }

  /** Within a transaction: the session is open again, or some of its rows are gone. */
  remove(session: number): void {
    this.#statements.remove.run([session]);
  }

  /** Those that closed before the row `before`, the last one first. */
  page(tenant: string, before: number, limit: number): Closing[] {
    const rows = this.#statements.page.all([storedName(tenant), before, limit]);
    return rows.map((row) => ({ seq: readNumber(row[0]), session: readNumber(row[1]) }));
  }

  /** How many there are, counted up to `most`. */
  count(tenant: string, most: number): number {
    return readNumber(this.#statements.count.get([storedName(tenant), most])?.[0]);
  }
}
