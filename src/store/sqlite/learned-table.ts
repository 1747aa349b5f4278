import type { Log } from "../../model/log.ts";
import { learnedSeal } from "../chain.ts";
import { LEARNED_MODELS_KEPT, type LearnedModel } from "../journal.ts";
import { readHex, readName, readNumber, readText, storedName } from "./columns.ts";
import type { Connection, SqlRow } from "./driver.ts";

const COLUMNS = "CAST(tenant AS BLOB), CAST(model AS BLOB), seq, at, seal, CAST(body AS BLOB)";

/**
 * What is known of models. A lesson on a known model rewrites its record in place, one page; one on a new model also
 * removes the tenant's records beyond the newest LEARNED_MODELS_KEPT, so the table stays that small by itself.
 */
export class LearnedTable {
  readonly #verify: boolean;
  readonly #log: Log;
  readonly #statements;

  constructor(connection: Connection, verify: boolean, log: Log) {
    this.#verify = verify;
    this.#log = log;
    this.#statements = {
      find: connection.prepare("SELECT id FROM learned WHERE tenant = ? AND model = ?"),
      insert: connection.prepare("INSERT INTO learned (tenant, model, seq, at, seal, body) VALUES (?, ?, ?, ?, ?, ?)"),
      update: connection.prepare("UPDATE learned SET seq = ?, at = ?, seal = ?, body = ? WHERE id = ?"),
      trim: connection.prepare(
        "DELETE FROM learned WHERE tenant = ? AND seq <= (SELECT seq FROM learned WHERE tenant = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)",
      ),
      all: connection.prepare(`SELECT ${COLUMNS} FROM learned ORDER BY seq`),
    };
  }

  /** Within a transaction. `seq`: of the row that taught it. */
  write(learned: LearnedModel, seq: number): void {
    const { find, insert, update, trim } = this.#statements;
    const { at, body } = learned;
    const tenant = storedName(learned.tenant);
    const model = storedName(learned.model);
    const seal = Buffer.from(learnedSeal(learned, seq), "hex");
    const known = find.get([tenant, model]);
    if (known !== undefined) {
      update.run([seq, at, seal, body, readNumber(known[0])]);
      return;
    }
    insert.run([tenant, model, seq, at, seal, body]);
    trim.run([tenant, tenant, LEARNED_MODELS_KEPT]);
  }

  /** In the order in which it was last learned; without what does not verify, which is told to the log. */
  read(): LearnedModel[] {
    const rows = this.#statements.all.all([]);
    const learned = rows.flatMap((row) => this.#readRow(row) ?? []);
    const damaged = rows.length - learned.length;
    if (damaged > 0) this.#log.warn({ damaged }, "what was learned of some models is damaged in the store: left out");
    return learned;
  }

  #readRow(row: SqlRow): LearnedModel | null {
    try {
      const learned: LearnedModel = {
        tenant: readName(readText(row[0])),
        model: readName(readText(row[1])),
        at: readNumber(row[3]),
        body: readText(row[5]),
      };
      const sealed = learnedSeal(learned, readNumber(row[2])) === readHex(row[4]);
      return this.#verify && !sealed ? null : learned;
    } catch {
      // Its names are not as they were stored: counted by the caller, like a seal that does not fit.
      return null;
    }
  }
}
