import { setImmediate as nextTurn } from "node:timers/promises";
import type { Log } from "../../model/log.ts";
import type { PruneReport } from "../journal.ts";
import { readNumber } from "./columns.ts";
import type { Connection, Statement } from "./driver.ts";
import type { Tables } from "./row-writer.ts";

export interface PrunerDependencies {
  readonly connection: Connection;
  readonly tables: Tables;
  /** True while appends wait. */
  readonly isBusy: () => boolean;
  readonly log: Log;
}

/** Rows in one transaction: a few ms. */
const SLICE = 500;
/** Turns of the event loop that a slice gives way to appends for before it takes its own. */
const PATIENCE = 20;

/**
 * Pruning, in slices between commits. Rows of closed sessions below their last snapshot go, with their idempotency
 * keys; the chain of the last one stays as the anchor of what is left. Then contents are marked from all rows and
 * snapshots that are left, and the unmarked are swept.
 *
 * While it marks, appends go on: what they come to use is marked at once, and what arrives later than the start
 * (its id tells) is not swept; so only rows and snapshots from before the start have to be gone through. A snapshot
 * keeps every content alive whose hash stands in its text.
 */
export class Pruner {
  readonly #dependencies: PrunerDependencies;
  readonly #candidates: Statement;
  readonly #freePages: Statement;
  #stopped = false;
  #running: Promise<PruneReport> | null = null;

  constructor(dependencies: PrunerDependencies) {
    this.#dependencies = dependencies;
    const { connection } = dependencies;
    this.#candidates = connection.prepare(
      `SELECT s.id, (SELECT max(sseq) FROM snapshot WHERE sess = s.id)
       FROM session s JOIN journal j ON j.sess = s.id AND j.sseq = s.last_seq
       WHERE s.id > ? AND s.closed = 1 AND j.at < ?
         AND s.anchor_seq + 1 < (SELECT max(sseq) FROM snapshot WHERE sess = s.id)
       ORDER BY s.id LIMIT 1`,
    );
    this.#freePages = connection.prepare("PRAGMA freelist_count");
  }

  /** One at a time: a call while another runs gets the same report. */
  prune(closedBefore: number): Promise<PruneReport> {
    this.#running ??= this.#prune(closedBefore).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Ends a run after its current slice. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running?.catch(() => undefined);
  }

  async #prune(closedBefore: number): Promise<PruneReport> {
    const report = { sessions: 0, rows: 0, contents: 0 };
    for (let after = 0; !this.#stopped; ) {
      const candidate = this.#candidates.get([after, closedBefore]);
      if (candidate === undefined) break;
      after = readNumber(candidate[0]);
      const rows = await this.#pruneSession(after, readNumber(candidate[1]));
      report.rows += rows;
      report.sessions += rows > 0 ? 1 : 0;
      await this.#giveWay();
    }
    if (report.rows > 0) {
      report.contents = await this.#sweep();
      await this.#shrink();
    }
    return report;
  }

  async #pruneSession(id: number, snapshotAt: number): Promise<number> {
    const { sessions, journal, closed } = this.#dependencies.tables;
    const record = sessions.byId(id);
    // Rows are evidence, and the way back, as long as the snapshot that replaces them does not verify.
    if (record === null || journal.snapshot(record.key, id, snapshotAt)?.sessionSeq !== snapshotAt) {
      this.#skipped(id, "its last snapshot is damaged");
      return 0;
    }
    let pruned = 0;
    while (!this.#stopped) {
      const anchor = sessions.anchor(id);
      const span = { from: anchor.sessionSeq + 1, to: snapshotAt - 1, limit: SLICE };
      let rows: ReturnType<typeof journal.range>;
      try {
        rows = journal.range(record.key, id, anchor, span);
      } catch (error) {
        this.#skipped(id, error instanceof Error ? error.message : String(error));
        return pruned;
      }
      const last = rows.at(-1);
      if (last === undefined) break;
      this.#transact(() => {
        journal.removeUpTo(id, last.row.sessionSeq);
        journal.trimSnapshots(id, 1);
        closed.remove(id);
        sessions.moveAnchor(id, { sessionSeq: last.row.sessionSeq, chain: last.chain });
      });
      pruned += rows.length;
      await this.#giveWay();
    }
    return pruned;
  }

  #skipped(id: number, why: string): void {
    this.#dependencies.log.error({ session_number: id, why }, "a session of the store is not pruned");
  }

  async #sweep(): Promise<number> {
    const { contents } = this.#dependencies.tables;
    const upTo = contents.lastId;
    const marks = new Uint8Array((upTo >> 3) + 1);
    const mark = (id: number): void => {
      if (id <= upTo) marks[id >> 3] = (marks[id >> 3] ?? 0) | (1 << (id & 7));
    };
    contents.onUse = mark;
    try {
      if (!(await this.#markAll())) return 0;
      return await this.#removeUnmarked(upTo, (id) => ((marks[id >> 3] ?? 0) & (1 << (id & 7))) !== 0);
    } finally {
      contents.onUse = null;
    }
  }

  /** False when not everything could be marked: then nothing may be swept. */
  async #markAll(): Promise<boolean> {
    const { journal, contents } = this.#dependencies.tables;
    const lastSeq = journal.lastSeq();
    const lastSnapshot = journal.lastSnapshotId();
    for (let after = 0; ; ) {
      if (this.#stopped) return false;
      const page = journal.references(after, lastSeq, SLICE);
      for (const hash of page.flatMap(({ hashes }) => hashes)) contents.use(hash);
      const last = page.at(-1);
      if (last === undefined) break;
      after = last.seq;
      await this.#giveWay();
    }
    for (let after = 0; ; ) {
      if (this.#stopped) return false;
      const snapshot = journal.nextSnapshot(after, lastSnapshot);
      if (snapshot === null) return true;
      if (snapshot.text === null) {
        this.#dependencies.log.error({ snapshot: snapshot.id }, "contents are not swept: a snapshot is damaged");
        return false;
      }
      contents.useNamedIn(snapshot.text);
      after = snapshot.id;
      await this.#giveWay();
    }
  }

  async #removeUnmarked(upTo: number, isMarked: (id: number) => boolean): Promise<number> {
    const { contents } = this.#dependencies.tables;
    let removed = 0;
    for (let after = 0; !this.#stopped; ) {
      const page = contents.page(after, upTo, SLICE);
      const last = page.at(-1);
      if (last === undefined) break;
      const unmarked = page.filter((id) => !isMarked(id));
      if (unmarked.length > 0) {
        this.#transact(() => {
          for (const id of unmarked) contents.remove(id);
        });
        contents.forget();
      }
      removed += unmarked.length;
      after = last;
      await this.#giveWay();
    }
    return removed;
  }

  /** Gives the free pages back to the file system. */
  async #shrink(): Promise<void> {
    const { connection } = this.#dependencies;
    const free = (): number => readNumber(this.#freePages.get([])?.[0]);
    for (let before = Number.POSITIVE_INFINITY; !this.#stopped && free() > 0 && free() < before; ) {
      before = free();
      connection.exec(`PRAGMA incremental_vacuum(${SLICE})`);
      await this.#giveWay();
    }
  }

  #transact(work: () => void): void {
    const { connection } = this.#dependencies;
    connection.exec("BEGIN IMMEDIATE");
    try {
      work();
      connection.exec("COMMIT");
    } catch (error) {
      if (connection.inTransaction) connection.exec("ROLLBACK");
      throw error;
    }
  }

  async #giveWay(): Promise<void> {
    for (let turn = 0; turn === 0 || (turn < PATIENCE && this.#dependencies.isBusy()); turn++) await nextTurn();
  }
}
