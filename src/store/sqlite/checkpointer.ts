import type { Log } from "../../model/log.ts";
import type { CheckpointLimits, Failpoint } from "../options.ts";
import type { Connection, Statement } from "./driver.ts";

export interface CheckpointerDependencies {
  readonly connection: Connection;
  /** True while appends wait. */
  readonly isBusy: () => boolean;
  readonly failpoint: (name: Failpoint) => void;
  readonly log: Log;
}

const DEFAULTS: CheckpointLimits = {
  idleMs: 50,
  restMs: 2000,
  idleBytes: 1024 * 1024,
  maxBytes: 32 * 1024 * 1024,
};

/** After a checkpoint that failed (a full disk), the pause before the next try. */
const RETRY_MS = 2000;

/**
 * Moves pages from the write-ahead log to the database file while nobody waits. SQLite's automatic checkpoints are
 * off: they run within somebody's commit (p99 of 18 ms instead of 8) and hide their errors. The log starts over
 * once all of it has been moved, so a store that is never idle checkpoints between two commits when the log is long.
 */
export class Checkpointer {
  readonly #limits: CheckpointLimits;
  readonly #dependencies: CheckpointerDependencies;
  readonly #passive: Statement;
  readonly #truncate: Statement;
  #timer: NodeJS.Timeout | null = null;
  #overdue: NodeJS.Immediate | null = null;
  #backlog = 0;
  readonly counts = { checkpoints: 0, errors: 0 };

  constructor(limits: Partial<CheckpointLimits>, dependencies: CheckpointerDependencies) {
    this.#limits = { ...DEFAULTS, ...limits };
    this.#dependencies = dependencies;
    this.#passive = dependencies.connection.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    this.#truncate = dependencies.connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** A commit added about this many bytes to the log. */
  committed(bytes: number): void {
    this.#backlog += bytes;
    if (this.#backlog < this.#limits.maxBytes) {
      this.#wait(this.#backlog >= this.#limits.idleBytes ? this.#limits.idleMs : this.#limits.restMs);
      return;
    }
    // After the answers to the commit have gone out.
    this.#overdue ??= setImmediate(() => this.#run());
  }

  #wait(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#dependencies.isBusy()) this.#wait(ms);
      else this.#run();
    }, ms);
    this.#timer.unref();
  }

  #run(): void {
    this.stop();
    this.#dependencies.failpoint("mid_checkpoint");
    try {
      checkpoint(this.#passive);
      this.#backlog = 0;
      this.counts.checkpoints++;
    } catch (error) {
      // Nothing is lost: the pages stay in the log, which grows until a checkpoint succeeds.
      if (this.counts.errors++ % 100 === 0) {
        const why = error instanceof Error ? error.message : error;
        this.#dependencies.log.error({ why }, "a checkpoint of the store failed: its log grows until one succeeds");
      }
      this.#backlog = Math.min(this.#backlog, this.#limits.maxBytes / 2);
      this.#wait(RETRY_MS);
    }
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#overdue !== null) clearImmediate(this.#overdue);
    this.#timer = null;
    this.#overdue = null;
  }

  /** The last one, before the connection is closed: moves all and empties the log. Throws when it cannot. */
  finish(): void {
    this.stop();
    checkpoint(this.#truncate);
  }
}

function checkpoint(statement: Statement): void {
  const [blocked] = statement.all([])[0] ?? [];
  if (blocked !== 0) throw new Error("a reader is in the way");
}
