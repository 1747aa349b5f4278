import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { SessionKey } from "../../model/session-key.ts";
import { CommitLog } from "../commit-log.ts";
import { closedJournal, unavailable } from "../errors.ts";
import type { AppendRequest, Journal, JournalStats } from "../journal.ts";
import type { CheckpointLimits, Failpoint, UnsafeOptions } from "../options.ts";
import { Checkpointer } from "./checkpointer.ts";
import { ClosedTable } from "./closed-table.ts";
import { ContentTable } from "./content-table.ts";
import type { Driver } from "./driver.ts";
import { markClean, type StoreFiles, sizeOf } from "./folder.ts";
import { GroupCommit } from "./group-commit.ts";
import { JournalTable } from "./journal-table.ts";
import { LearnedTable } from "./learned-table.ts";
import { explained, type OpenStore, openStore } from "./open.ts";
import { Pruner } from "./pruner.ts";
import { Reader } from "./reader.ts";
import { RowWriter, type Tables } from "./row-writer.ts";
import { SessionTable } from "./session-table.ts";

export interface SqliteJournalOptions {
  /** Data folder. */
  readonly path: string;
  readonly queue: number;
  readonly checkpoint: Partial<CheckpointLimits>;
  readonly failpoint: (name: Failpoint) => void;
  readonly unsafe: UnsafeOptions;
}

export interface SqliteJournalDependencies {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly log: Log;
}

/** The parts of an open journal, dropped together: libsql keeps the file locked while a statement lives. */
type Parts = ReturnType<typeof assemble>;

function openParts(options: SqliteJournalOptions, dependencies: SqliteJournalDependencies): Parts {
  const store = openStore(options, dependencies);
  try {
    return explained(store.files, () => assemble(store, options, dependencies));
  } catch (error) {
    store.connection.close();
    throw error;
  }
}

function assemble(
  { connection, files }: OpenStore,
  options: SqliteJournalOptions,
  { clock, log }: SqliteJournalDependencies,
) {
  const { failpoint, unsafe } = options;
  const verify = unsafe.noHashChain !== true;
  const tables: Tables = {
    sessions: new SessionTable(connection, verify),
    journal: new JournalTable(connection, verify),
    contents: new ContentTable(connection, verify),
    learned: new LearnedTable(connection, verify, log),
    closed: new ClosedTable(connection),
  };
  const rows = new RowWriter({ failpoint, unsafe }, tables);
  const commits = new CommitLog();
  const isBusy = (): boolean => writer.queued > 0;
  const checkpointer = new Checkpointer(options.checkpoint, { connection, isBusy, failpoint, log });
  const writer: GroupCommit = new GroupCommit(
    { queue: options.queue, failpoint, unsafe },
    { connection, rows, clock, commits, onCommit: (bytes) => checkpointer.committed(bytes) },
  );
  const pruner = new Pruner({ connection, tables, isBusy, log });
  return { connection, files, rows, commits, checkpointer, writer, pruner, reader: new Reader(tables, rows) };
}

/** The embedded journal: one SQLite file, one connection, on the main thread. */
export class SqliteJournal implements Journal {
  readonly kind = "sqlite";
  readonly #files: StoreFiles;
  readonly #log: Log;
  readonly #settings: JournalStats["settings"];
  #parts: Parts | null;
  #closing: Promise<void> | null = null;
  #lastStats: JournalStats | null = null;

  /** Throws UnusableStoreError. */
  constructor(options: SqliteJournalOptions, dependencies: SqliteJournalDependencies) {
    this.#parts = openParts(options, dependencies);
    this.#files = this.#parts.files;
    this.#log = dependencies.log;
    // As open.ts sets them and reads them back.
    this.#settings = { journal_mode: "WAL", synchronous: options.unsafe.synchronous ?? "FULL" };
  }

  #open(): Parts {
    if (this.#parts === null || this.#closing !== null) throw closedJournal();
    return this.#parts;
  }

  async append(request: AppendRequest): Promise<{ readonly seq: number }> {
    return this.#open().writer.append(request);
  }

  async load(key: SessionKey, upTo?: number): ReturnType<Journal["load"]> {
    return this.#open().reader.load(key, upTo);
  }

  async contents(hashes: readonly string[]): Promise<Map<string, string>> {
    const { reader } = this.#open();
    const found = new Map<string, string>();
    for (const hash of hashes) {
      const text = reader.content(hash);
      if (text !== null) found.set(hash, text);
    }
    return found;
  }

  async findIdempotent(key: SessionKey, idempotencyKey: string): ReturnType<Journal["findIdempotent"]> {
    return this.#open().reader.findIdempotent(key, idempotencyKey);
  }

  async sessions(options: Parameters<Journal["sessions"]>[0] = {}): ReturnType<Journal["sessions"]> {
    return this.#open().reader.sessions(options, () => this.#parts === null);
  }

  async closedSessions(options: Parameters<Journal["closedSessions"]>[0]): ReturnType<Journal["closedSessions"]> {
    return this.#open().reader.closedSessions(options);
  }

  async closedCount(options: Parameters<Journal["closedCount"]>[0]): ReturnType<Journal["closedCount"]> {
    return this.#open().reader.closedCount(options);
  }

  async rows(key: SessionKey, options: Parameters<Journal["rows"]>[1]): ReturnType<Journal["rows"]> {
    return this.#open().reader.rows(key, options);
  }

  async verify(key: SessionKey): ReturnType<Journal["verify"]> {
    return this.#open().reader.verify(key);
  }

  async learned(): ReturnType<Journal["learned"]> {
    return this.#open().reader.learned();
  }

  async lastSeq(): Promise<number> {
    return this.#open().rows.lastSeq;
  }

  async prune(options: { readonly closedBefore: number }): ReturnType<Journal["prune"]> {
    try {
      return await this.#open().pruner.prune(options.closedBefore);
    } catch (error) {
      throw unavailable("Pruning the journal", error);
    }
  }

  stats(): JournalStats {
    if (this.#parts === null) return this.#lastStats as JournalStats;
    const { writer, checkpointer, commits } = this.#parts;
    return {
      queued: writer.queued,
      ...writer.counts,
      fileBytes: sizeOf(this.#files.database),
      walBytes: sizeOf(this.#files.log),
      checkpoints: checkpointer.counts.checkpoints,
      checkpointErrors: checkpointer.counts.errors,
      drainCommits: () => commits.drain(),
      recentCommits: () => commits.recent(),
      settings: this.#settings,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const parts = this.#parts as Parts;
    await parts.writer.drain();
    await parts.pruner.stop();
    let clean = true;
    try {
      parts.checkpointer.finish();
    } catch (error) {
      // The log stays beside the file, which is complete with it: the next start reads both.
      clean = false;
      this.#log.error({ why: error instanceof Error ? error.message : String(error) }, "the last checkpoint failed");
    }
    this.#lastStats = this.stats();
    this.#parts = null;
    parts.connection.close();
    if (clean) markClean(this.#files);
  }
}
