import { ContextdError } from "../model/errors.ts";
import type { RunFailure } from "./bench.ts";
import type { BenchHand } from "./bench-thread.ts";
import type { LabReport } from "./report.ts";

export type ReplayStatus = "running" | "done" | "failed" | "cancelled";

/** What was asked for. */
export interface ReplayTerms {
  readonly sessionIds: readonly string[];
  /** The first two are A and B. */
  readonly policies: readonly string[];
  readonly window: string;
  readonly seed: number | undefined;
}

export interface ReplayProgress {
  /** Runs that are behind it. */
  readonly done: number;
  readonly total: number;
  /** The run and the policy that it is at; null before the first and after the last. */
  readonly run: string | null;
  readonly policy: string | null;
  /** Policies of that run that are behind it. */
  readonly policies_done: number;
}

/** Why a replay gave nothing. */
export interface ReplayFault {
  readonly reason: string;
  readonly message: string;
}

interface Parts {
  textOf(sessionId: string): Promise<string>;
  openBench(onPolicy: (policy: string) => void): BenchHand;
  /** ms that only rises. */
  monotonic(): number;
  /** Told of faults of the program. */
  onFault(error: unknown): void;
}

/**
 * One replay. It is running from its beginning; then it is done, has failed, or was cancelled, and stays so. Runs that
 * cannot be read or replayed are failures of their own: it goes on without them.
 */
export class LabReplay {
  readonly id: string;
  readonly tenant: string;
  readonly terms: ReplayTerms;
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly failures: RunFailure[] = [];
  status: ReplayStatus = "running";
  report: LabReport | null = null;
  fault: ReplayFault | null = null;
  #progress: ReplayProgress;
  readonly #parts: Parts;
  readonly #bench: BenchHand;
  readonly #began: number;
  #ended: number | null = null;
  readonly #work: Promise<void>;

  /** Throws invalid_params for policies or a window that are none. */
  constructor(
    { id, tenant, terms, startedAt }: Pick<LabReplay, "id" | "tenant" | "terms" | "startedAt">,
    parts: Parts,
  ) {
    this.id = id;
    this.tenant = tenant;
    this.terms = terms;
    this.startedAt = startedAt;
    this.#parts = parts;
    this.#began = parts.monotonic();
    this.#progress = { done: 0, total: terms.sessionIds.length, run: null, policy: null, policies_done: 0 };
    this.#bench = parts.openBench((policy) => {
      const behind = Math.max(0, terms.policies.indexOf(policy));
      this.#progress = { ...this.#progress, policy, policies_done: behind };
    });
    this.#work = this.#run();
  }

  get progress(): ReplayProgress {
    return this.#progress;
  }

  /** Seconds that it took, or has taken so far. */
  get seconds(): number {
    return ((this.#ended ?? this.#parts.monotonic()) - this.#began) / 1000;
  }

  /** Ends it where it is running; resolves when nothing of it runs any more. */
  async cancel(): Promise<void> {
    if (this.status === "running") this.#end("cancelled");
    await this.#bench.end();
    await this.#work;
  }

  /** Resolves when it is running no more. */
  settled(): Promise<void> {
    return this.#work;
  }

  async #run(): Promise<void> {
    try {
      for (const id of this.terms.sessionIds) {
        this.#progress = { ...this.#progress, run: id, policy: null, policies_done: 0 };
        const failure = await this.#replay(id);
        if (this.status !== "running") return;
        if (failure) this.failures.push(failure);
        this.#progress = { ...this.#progress, done: this.#progress.done + 1 };
      }
      const report = await this.#bench.report();
      if (this.status !== "running") return;
      this.report = report;
      this.#end("done");
    } catch (error) {
      // What a cancelled bench throws says nothing.
      if (this.status === "running") this.#fail(error);
    } finally {
      await this.#bench.end();
    }
  }

  async #replay(id: string): Promise<RunFailure | null> {
    let text: string;
    try {
      text = await this.#parts.textOf(id);
    } catch (error) {
      if (error instanceof ContextdError) return { id, reason: error.reason, message: error.message };
      throw error;
    }
    return this.status === "running" ? this.#bench.replay(id, text) : null;
  }

  #fail(error: unknown): void {
    const isMemory = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
    this.fault = isMemory
      ? { reason: "out_of_memory", message: "The replay took too much memory: choose fewer sessions or policies." }
      : { reason: "internal_error", message: "A fault of the daemon ended the replay: its log names it." };
    if (!isMemory) this.#parts.onFault(error);
    this.#end("failed");
  }

  #end(status: ReplayStatus): void {
    this.status = status;
    this.#ended = this.#parts.monotonic();
    this.#progress = { ...this.#progress, run: null, policy: null, policies_done: 0 };
  }
}
