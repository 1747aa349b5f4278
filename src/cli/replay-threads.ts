import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { ConfigSources } from "../config/index.ts";
import { Replayer, type ReplayOptions, type ReplayParts } from "../replay/replay.ts";
import { type Outcome, ReplayDesk, type ReplayTask } from "./replay-desk.ts";

export interface ReplayThreadsOptions {
  readonly options: ReplayOptions;
  /** Where a thread reads the config from: functions do not go to threads. */
  readonly sources: ConfigSources;
  /** The same config, for what is done on this thread. */
  readonly parts: ReplayParts;
  /** No more threads than this have anything to do. */
  readonly most: number;
}

/** What a thread is started with; then it gets one task a message and answers with its outcome. */
export type WorkerInput = Pick<ReplayThreadsOptions, "options" | "sources">;

/** The task was not begun: there was no more use for it. */
export class TaskDropped extends Error {
  constructor() {
    super("the task was dropped");
    this.name = "TaskDropped";
  }
}

interface Waiting {
  readonly task: ReplayTask;
  readonly isOver: () => boolean;
  resolve(outcome: Outcome<ReplayTask["kind"]>): void;
  reject(error: unknown): void;
}

/** Somebody who does one task after the other. */
interface Hand {
  do(task: ReplayTask): Promise<Outcome<ReplayTask["kind"]>>;
  close(): Promise<unknown>;
}

/**
 * Replays on all cores, one run a thread at a time. A thread that is free takes the files that it has open and those
 * that none has; it takes another's when it would stand idle.
 */
export class ReplayThreads {
  readonly #free: Hand[];
  readonly #all: readonly Hand[];
  readonly #homes = new Map<string, Hand>();
  readonly #waiting: Waiting[] = [];

  /** Throws invalid_params for bad options. */
  constructor({ options, sources, parts, most }: ReplayThreadsOptions) {
    const replayer = new Replayer(options, parts);
    const threads = Math.min(availableParallelism(), most);
    const url = compiledWorker();
    this.#all =
      threads < 2 || url === null
        ? [new ThisThread(new ReplayDesk(replayer))]
        : Array.from({ length: threads }, () => new OtherThread(url, { options, sources }));
    this.#free = [...this.#all];
  }

  /** @param isOver whether there is no more use for it: then it rejects with TaskDropped instead of being begun. */
  ask<Task extends ReplayTask>(task: Task, isOver: () => boolean = () => false): Promise<Outcome<Task["kind"]>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, isOver, resolve: resolve as Waiting["resolve"], reject });
      this.#handOut();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((hand) => hand.close()));
  }

  #handOut(): void {
    for (let hand = this.#free.pop(); hand !== undefined; hand = this.#free.pop()) {
      const waiting = this.#next(hand);
      if (waiting === undefined) {
        this.#free.push(hand);
        return;
      }
      void this.#do(hand, waiting);
    }
  }

  async #do(hand: Hand, { task, resolve, reject }: Waiting): Promise<void> {
    if (!this.#homes.has(task.path)) this.#homes.set(task.path, hand);
    try {
      resolve(await hand.do(task));
    } catch (error) {
      reject(error);
    } finally {
      this.#free.push(hand);
      this.#handOut();
    }
  }

  /** The first task of a file that this hand has open or that nobody has; failing that, the last of another's. */
  #next(hand: Hand): Waiting | undefined {
    for (let at = 0; at < this.#waiting.length; ) {
      const waiting = this.#waiting[at] as Waiting;
      if (waiting.isOver()) {
        this.#waiting.splice(at, 1);
        waiting.reject(new TaskDropped());
        continue;
      }
      const home = this.#homes.get(waiting.task.path);
      if (home === undefined || home === hand) return this.#waiting.splice(at, 1)[0];
      at++;
    }
    return this.#waiting.pop();
  }
}

/** Does the tasks here, and lets signals and timers through between two of them. */
class ThisThread implements Hand {
  readonly #desk: ReplayDesk;

  constructor(desk: ReplayDesk) {
    this.#desk = desk;
  }

  async do(task: ReplayTask): Promise<Outcome<ReplayTask["kind"]>> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.#desk.do(task);
  }

  async close(): Promise<void> {}
}

class OtherThread implements Hand {
  readonly #worker: Worker;

  constructor(url: URL, input: WorkerInput) {
    this.#worker = new Worker(url, { workerData: input });
  }

  do(task: ReplayTask): Promise<Outcome<ReplayTask["kind"]>> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const onMessage = (outcome: Outcome<ReplayTask["kind"]>) => settle(() => resolve(outcome));
      const onError = (error: unknown) => settle(() => reject(error));
      const onExit = (code: number) => settle(() => reject(new Error(`a replay thread ended with code ${code}`)));
      const settle = (act: () => void) => {
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
        act();
      };
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
      worker.postMessage(task);
    });
  }

  close(): Promise<unknown> {
    return this.#worker.terminate();
  }
}

/** Null when running from TypeScript sources, which Node 20 cannot load in a worker. */
function compiledWorker(): URL | null {
  return import.meta.url.endsWith(".js") ? new URL("./replay-worker.js", import.meta.url) : null;
}
