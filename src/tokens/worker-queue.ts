import { Worker } from "node:worker_threads";
import type { CountReply, CountRequest } from "./counting-worker.ts";

/** Why a text was not counted: its time was up, the worker failed, or the queue was closed. */
export type LostReason = "time_budget" | "worker_failed" | "closed";

export interface WorkerQueueOptions {
  /** The worker's compiled module. */
  readonly url: URL;
  /** Time for one text from its arrival, in milliseconds. */
  readonly budgetMs: number;
}

interface Job {
  readonly request: CountRequest;
  readonly settle: (result: number | LostReason) => void;
  readonly deadline: NodeJS.Timeout;
}

/** A new worker loads its code and rank data before its first text: that much more time for it, in milliseconds. */
const STARTUP_MS = 3000;

/**
 * Counts texts in one worker thread, one at a time in order of arrival. The worker starts with the first text and is
 * kept; by itself it does not hold the process open. When a text's time is up while it is being counted, or the
 * worker fails, the worker is ended, and the next text starts another.
 */
export class WorkerQueue {
  readonly #options: WorkerQueueOptions;
  readonly #waiting: Job[] = [];
  #running: Job | null = null;
  #worker: Worker | null = null;
  #nextId = 1;
  #closed = false;

  constructor(options: WorkerQueueOptions) {
    this.#options = options;
  }

  /** Tokens of the text, or why they could not be had. Never rejects. */
  count(tokenizer: string, text: string): Promise<number | LostReason> {
    if (this.#closed) return Promise.resolve("closed");
    return new Promise((settle) => {
      const time = this.#options.budgetMs + (this.#worker === null ? STARTUP_MS : 0);
      const request = { id: this.#nextId++, tokenizer, text };
      const deadline = setTimeout(() => this.#expire(job), time);
      const job: Job = { request, settle, deadline };
      this.#waiting.push(job);
      this.#next();
    });
  }

  /** Ends the worker. Texts under way and waiting settle as `closed`. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#worker = null;
    for (const job of this.#waiting.splice(0)) settle(job, "closed");
    this.#finish("closed");
    await worker?.terminate();
  }

  #next(): void {
    if (this.#running !== null || this.#closed) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#running = job;
    this.#worker ??= this.#start();
    this.#worker.postMessage(job.request);
  }

  #start(): Worker {
    const worker = new Worker(this.#options.url, { name: "contextd-counting" });
    worker.unref();
    worker.on("message", (reply: CountReply) => {
      if (this.#running?.request.id === reply.id) this.#finish(reply.tokens);
    });
    worker.on("error", () => this.#lose(worker, "worker_failed"));
    worker.on("exit", () => this.#lose(worker, "worker_failed"));
    return worker;
  }

  #expire(job: Job): void {
    if (job === this.#running) {
      this.#lose(this.#worker, "time_budget");
      return;
    }
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    settle(job, "time_budget");
  }

  /** A count cannot be interrupted but by ending the thread. */
  #lose(worker: Worker | null, reason: LostReason): void {
    if (worker === null || worker !== this.#worker) return;
    this.#worker = null;
    void worker.terminate();
    this.#finish(reason);
  }

  #finish(result: number | LostReason): void {
    const job = this.#running;
    this.#running = null;
    if (job !== null) settle(job, result);
    this.#next();
  }
}

function settle(job: Job, result: number | LostReason): void {
  clearTimeout(job.deadline);
  job.settle(result);
}
