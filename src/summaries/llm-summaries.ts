import type { Summaries, SummaryOutcome, SummaryRequest } from "../manager/jobs/summary-job.ts";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { SummaryJudge } from "./judge-summary.ts";
import { shortenResults } from "./shorten-results.ts";
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
}

/**
 * Summaries by a model, off the hot path: one at a time a session, each delivered once.
 *
 * A job is `under way` from `start` until its delivery has been taken; asked for again meanwhile, nothing happens. A job
 * that is given up is not delivered and asks the model nothing more; what it has asked runs to its end, unless the daemon
 * stops. A delivery that fails (the store is away) is given up: the session still has the job as running, and its next
 * call at that pressure asks for it again.
 */
export class LlmSummaries implements Summaries {
  readonly #deps: SummariesDependencies;
  readonly #underWay = new Map<string, Work>();
  /** All that has begun and not ended, what was given up included. */
  readonly #running = new Set<Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(dependencies: SummariesDependencies) {
    this.#deps = dependencies;
  }

  available(): boolean {
    return !this.#stopped.signal.aborted && this.#deps.model.available();
  }

  outcome(session: string, jobId: string): Promise<SummaryOutcome> | null {
    const work = this.#underWay.get(session);
    return work?.jobId === jobId ? work.outcome : null;
  }

  start(session: string, request: SummaryRequest, deliver: (outcome: SummaryOutcome) => Promise<void>): void {
    const { signal } = this.#stopped;
    if (this.#underWay.get(session)?.jobId === request.jobId || signal.aborted) return;
    const { model, judge, nonce, log, clock } = this.#deps;
    const now = () => clock.monotonic();
    const isWanted = (): boolean => this.#underWay.get(session) === work && !signal.aborted;
    const dependencies = { model, judge, nonce, now, signal, isWanted };
    const outcome =
      request.kind === "results" ? shortenResults(request, dependencies) : summarise(request, dependencies);
    const work: Work = { jobId: request.jobId, outcome };
    this.#underWay.set(session, work);
    const ended = outcome
      .then((how) => (isWanted() ? deliver(how) : undefined))
      .catch((error: unknown) => log.warn({ err: error, job: request.jobId }, "a summary could not be handed over"))
      .finally(() => {
        if (this.#underWay.get(session) === work) this.#underWay.delete(session);
        this.#running.delete(ended);
      });
    this.#running.add(ended);
  }

  keep(session: string, jobId: string | null): void {
    const work = this.#underWay.get(session);
    if (work && work.jobId !== jobId) this.#underWay.delete(session);
  }

  /** Gives up what is under way: the next daemon asks for it again. Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#running);
  }
}
