import type { Clock } from "../../model/clock.ts";
import { ContextdError } from "../../model/errors.ts";
import type { CommitLog } from "../commit-log.ts";
import { closedJournal, faultyRow, overloaded, unavailable } from "../errors.ts";
import type { AppendRequest } from "../journal.ts";
import type { Failpoint, UnsafeOptions } from "../options.ts";
import { type Connection, faultOf } from "./driver.ts";
import type { PreparedRow, RowWriter } from "./row-writer.ts";

export interface GroupCommitOptions {
  readonly queue: number;
  readonly failpoint: (name: Failpoint) => void;
  readonly unsafe: UnsafeOptions;
}

export interface GroupCommitDependencies {
  readonly connection: Connection;
  readonly rows: RowWriter;
  readonly clock: Clock;
  readonly commits: CommitLog;
  /** Told of each commit: about how many bytes it added to the log. */
  readonly onCommit: (bytes: number) => void;
}

interface Waiting {
  readonly row: PreparedRow;
  readonly resolve: (answer: { readonly seq: number }) => void;
  readonly reject: (error: ContextdError) => void;
}

const BATCH_ROWS = 128;
const BATCH_BYTES = 1024 * 1024;
/** Control of the fault tests: how long an append that was answered early stays unwritten. */
const LATE_MS = 25;

/**
 * Group commit. Rows queue; the next turn of the event loop writes up to 128 rows or 1 MiB of them in one
 * transaction, with one fsync, and then answers them all; as long as more wait, it goes on at the turn after.
 * Waiting longer for company did not help: under load the rows that arrive during one commit are the next batch.
 *
 * When the transaction fails, nothing of it is stored and the whole batch is refused, so that what callers hold in
 * memory goes back to what is on disk. Only when one row is at fault (a constraint, a value that cannot be
 * stored) are the rows tried again one by one, and that row alone is refused.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #dependencies: GroupCommitDependencies;
  #queue: Waiting[] = [];
  /** Rows accepted and not answered: being encoded, or in the queue. */
  #accepted = 0;
  #scheduled = false;
  #closed = false;
  #drained: (() => void) | null = null;
  readonly counts = { appends: 0, commits: 0, errors: 0 };

  constructor(options: GroupCommitOptions, dependencies: GroupCommitDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  get queued(): number {
    return this.#accepted;
  }

  /** Resolves when the row is on disk. */
  async append(request: AppendRequest): Promise<{ readonly seq: number }> {
    if (this.#closed) throw closedJournal();
    if (this.#accepted >= this.#options.queue) throw overloaded(this.#options.queue);
    this.#accepted++;
    try {
      const row = await this.#prepare(request);
      return await new Promise((resolve, reject) => this.#enqueue({ row, resolve, reject }));
    } finally {
      this.#accepted--;
      if (this.#accepted === 0) this.#drained?.();
    }
  }

  async #prepare(request: AppendRequest): Promise<PreparedRow> {
    try {
      const prepared = this.#dependencies.rows.prepare(request);
      return prepared instanceof Promise ? await prepared : prepared;
    } catch (error) {
      this.counts.errors++;
      throw error instanceof ContextdError ? error : this.#refusal(request, error);
    }
  }

  #enqueue(waiting: Waiting): void {
    this.#queue.push(waiting);
    if (this.#options.unsafe.ackBeforeCommit === true) {
      waiting.resolve({ seq: this.#dependencies.rows.lastSeq + this.#queue.length });
      setTimeout(() => this.#flush(), LATE_MS);
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => this.#flush());
    }
  }

  #flush(): void {
    this.#scheduled = false;
    const batch = this.#take();
    if (batch.length > 0) this.#commit(batch);
    if (this.#queue.length > 0 && !this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => this.#flush());
    }
  }

  #take(): Waiting[] {
    let rows = 0;
    for (let bytes = 0; rows < Math.min(this.#queue.length, BATCH_ROWS) && bytes < BATCH_BYTES; rows++) {
      bytes += (this.#queue[rows] as Waiting).row.bytes;
    }
    return this.#queue.splice(0, rows);
  }

  #commit(batch: readonly Waiting[]): void {
    const { connection, rows, clock, commits, onCommit } = this.#dependencies;
    const startedAt = clock.monotonic();
    const written: { waiting: Waiting; seq: number }[] = [];
    const refused: { waiting: Waiting; error: ContextdError }[] = [];
    try {
      this.#begin();
      for (const waiting of batch) {
        try {
          written.push({ waiting, seq: rows.write(waiting.row) });
        } catch (error) {
          if (!(error instanceof ContextdError)) throw error;
          refused.push({ waiting, error });
        }
      }
      this.#options.failpoint("before_commit");
      if (this.#options.unsafe.skipTransaction !== true) connection.exec("COMMIT");
    } catch (error) {
      this.#rollBack();
      this.#failed(batch, error);
      return;
    }
    this.#options.failpoint("after_commit");
    rows.committed();

    if (written.length > 0) {
      this.counts.appends += written.length;
      this.counts.commits++;
      commits.add(written.length, (clock.monotonic() - startedAt) / 1000);
    }
    for (const { waiting, seq } of written) waiting.resolve({ seq });
    for (const { waiting, error } of refused) waiting.reject(error);
    onCommit(written.reduce((bytes, { waiting }) => bytes + waiting.row.bytes, 0));
  }

  #begin(): void {
    const { connection } = this.#dependencies;
    if (this.#options.unsafe.skipTransaction === true) return;
    // A rollback that failed left a transaction open: nothing can be committed before it is gone.
    if (connection.inTransaction) connection.exec("ROLLBACK");
    connection.exec("BEGIN IMMEDIATE");
  }

  #rollBack(): void {
    const { connection, rows } = this.#dependencies;
    rows.rolledBack();
    try {
      // SQLite rolls back by itself after some errors.
      if (connection.inTransaction) connection.exec("ROLLBACK");
    } catch {
      // The disk is failing: the next batch tries again before it begins, and is refused if that fails too.
    }
  }

  #failed(batch: readonly Waiting[], error: unknown): void {
    if (faultOf(error) === "row" && batch.length > 1) {
      for (const waiting of batch) this.#commit([waiting]);
      return;
    }
    this.counts.errors++;
    for (const { row, reject } of batch) reject(this.#refusal(row.request, error));
  }

  #refusal(request: AppendRequest, error: unknown): ContextdError {
    return faultOf(error) === "row" ? faultyRow(request.key, error) : unavailable("Writing the journal", error);
  }

  /** Takes no more rows, and resolves when those it took are answered. */
  async drain(): Promise<void> {
    this.#closed = true;
    if (this.#accepted > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    // Only rows that were answered before they were written can be left.
    while (this.#queue.length > 0) this.#flush();
  }
}
