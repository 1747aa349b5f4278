import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Config, Plugins } from "../config/index.ts";
import { Bench, type BenchTerms, type RunFailure } from "./bench.ts";
import type { LabReport } from "./report.ts";

/** Memory that a replay may take, MB: far more than the largest one that is let in needs. */
const MOST_MEMORY_MB = 1024;

export interface BenchOptions {
  readonly terms: BenchTerms;
  readonly config: Config;
  readonly plugins: Plugins;
  /** Told of each policy before it is replayed. */
  readonly onPolicy: (policy: string) => void;
}

/** What a thread is started with. Functions do not go to threads: it loads the config's plug-ins itself. */
export type BenchInput = Pick<BenchOptions, "terms" | "config">;

/** What a thread is asked, one at a time. */
export type BenchTask =
  | { readonly kind: "replay"; readonly id: string; readonly text: string }
  | { readonly kind: "report" };

/** What it says; the last one ends the task. */
export type BenchMessage =
  | { readonly kind: "policy"; readonly policy: string }
  | { readonly kind: "replayed"; readonly failure: RunFailure | null }
  | { readonly kind: "report"; readonly report: LabReport };

/** Somebody who does the replays. After `end` a task under way rejects, soon. */
export interface BenchHand {
  replay(id: string, text: string): Promise<RunFailure | null>;
  report(): Promise<LabReport>;
  end(): Promise<void>;
}

/** A thread of its own, so that no hook waits for a replay; this one where the sources are not compiled. */
export function openBench(options: BenchOptions): BenchHand {
  const url = import.meta.url.endsWith(".js") ? new URL("./bench-worker.js", import.meta.url) : null;
  return url === null ? new ThisThread(options) : new OtherThread(url, options);
}

/** Works here, and lets the rest of the process through before each policy. */
class ThisThread implements BenchHand {
  readonly #bench: Bench;
  readonly #onPolicy: (policy: string) => void;
  #ended = false;

  constructor({ terms, config, plugins, onPolicy }: BenchOptions) {
    this.#bench = new Bench(terms, { config, plugins });
    this.#onPolicy = onPolicy;
  }

  replay(id: string, text: string): Promise<RunFailure | null> {
    return this.#bench.replay(id, text, async (policy) => {
      this.#onPolicy(policy);
      await nextTurn();
      if (this.#ended) throw new Error("the replay has been ended");
    });
  }

  async report(): Promise<LabReport> {
    return this.#bench.report();
  }

  async end(): Promise<void> {
    this.#ended = true;
  }
}

class OtherThread implements BenchHand {
  readonly #worker: Worker;
  readonly #onPolicy: (policy: string) => void;

  constructor(url: URL, { terms, config, onPolicy }: BenchOptions) {
    const workerData: BenchInput = { terms, config };
    this.#worker = new Worker(url, { workerData, resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB } });
    this.#onPolicy = onPolicy;
    // A fault between two tasks is told by the next one.
    this.#worker.on("error", () => {});
  }

  async replay(id: string, text: string): Promise<RunFailure | null> {
    const message = await this.#ask({ kind: "replay", id, text });
    return message.kind === "replayed" ? message.failure : null;
  }

  async report(): Promise<LabReport> {
    const message = await this.#ask({ kind: "report" });
    if (message.kind !== "report") throw new Error("a replay thread answered another task");
    return message.report;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(task: BenchTask): Promise<BenchMessage> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const onMessage = (message: BenchMessage) => {
        if (message.kind === "policy") this.#onPolicy(message.policy);
        else settle(() => resolve(message));
      };
      const onError = (error: unknown) => settle(() => reject(error));
      const onExit = () => settle(() => reject(new Error("the replay has been ended")));
      const settle = (act: () => void) => {
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
        act();
      };
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
      // A thread that has ended takes no message and tells nothing of it.
      if (worker.threadId < 0) onExit();
      else worker.postMessage(task);
    });
  }
}
