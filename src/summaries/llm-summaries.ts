import type { Summaries, SummaryOutcome, SummaryRequest } from "../manager/summary-job.ts";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { SummaryJudge } from "./judge-summary.ts";
import { type SummaryModel, summarise } from "./summarise.ts";

export interface SummariesDependencies {
  readonly model: SummaryModel;
  /** null: the lexical judge alone. */
  readonly judge: SummaryJudge | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Random hex digits: what delimits untrusted text in a prompt must not be known beforehand. */
  nonce(): string;
}

interface Work {
  readonly jobId: string;
  readonly outcome: Promise<SummaryOutcome>;
  readonly abort: AbortController;
}

/**
 * Summaries by a model, off the hot path: one at a time a session, each delivered once.
 *
 * A job is `under way` from `start` until its delivery has been taken; asked for again meanwhile, nothing happens. One
 * of the same session that comes in its place ends it: nobody waits for it any more. A delivery that fails (the store is away, the daemon stops) is given up: the session still has the job as running, and
 * its next call at that pressure asks for it again.
 */
export class LlmSummaries implements Summaries {
  readonly #deps: SummariesDependencies;
  readonly #underWay = new Map<string, Work>();
  readonly #handingOver = new Set<Promise<void>>();
  #isStopped = false;

  constructor(dependencies: SummariesDependencies) {
    this.#deps = dependencies;
  }

  available(): boolean {
    return !this.#isStopped && this.#deps.model.available();
  }

  outcome(session: string, jobId: string): Promise<SummaryOutcome> | null {
    const work = this.#underWay.get(session);
    return work?.jobId === jobId ? work.outcome : null;
  }

  start(session: string, request: SummaryRequest, deliver: (outcome: SummaryOutcome) => Promise<void>): void {
    const before = this.#underWay.get(session);
    if (before?.jobId === request.jobId || this.#isStopped) return;
    before?.abort.abort();
    const { model, judge, nonce, clock } = this.#deps;
    const abort = new AbortController();
    const now = () => clock.monotonic();
    const outcome = summarise(request, { model, judge, nonce, now, signal: abort.signal });
    const work = { jobId: request.jobId, outcome, abort };
    this.#underWay.set(session, work);
    const handedOver = this.#handOver(work, deliver).finally(() => {
      if (this.#underWay.get(session) === work) this.#underWay.delete(session);
      this.#handingOver.delete(handedOver);
    });
    this.#handingOver.add(handedOver);
  }

  /** Gives up what is under way: the next daemon asks for it again. What is being handed over still is. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { abort } of this.#underWay.values()) abort.abort();
    await Promise.all(this.#handingOver);
  }

  async #handOver({ jobId, outcome, abort }: Work, deliver: (outcome: SummaryOutcome) => Promise<void>): Promise<void> {
    const ended = await outcome;
    if (abort.signal.aborted) return;
    try {
      await deliver(ended);
    } catch (error) {
      this.#deps.log.warn({ err: error, job: jobId }, "a summary could not be handed over");
    }
  }
}
