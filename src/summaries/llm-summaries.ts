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

/**
 * Summaries by a model, off the hot path: one at a time a session, each delivered once.
 *
 * A job is `under way` from `start` until its delivery has been taken; asked for again meanwhile, nothing happens. A
 * delivery that fails (the store is away, the daemon stops) is given up: the session still has the job as running, and
 * its next call at that pressure asks for it again.
 */
export class LlmSummaries implements Summaries {
  readonly #deps: SummariesDependencies;
  readonly #underWay = new Map<string, { readonly jobId: string; readonly outcome: Promise<SummaryOutcome> }>();
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
    if (this.#underWay.get(session)?.jobId === request.jobId || this.#stopped.signal.aborted) return;
    const { model, judge, nonce, log, clock } = this.#deps;
    const now = () => clock.monotonic();
    const outcome = summarise(request, { model, judge, nonce, now, signal: this.#stopped.signal });
    const work = { jobId: request.jobId, outcome };
    this.#underWay.set(session, work);
    void outcome
      .then((ended) => (this.#stopped.signal.aborted ? undefined : deliver(ended)))
      .catch((error: unknown) => log.warn({ err: error, job: request.jobId }, "a summary could not be handed over"))
      .finally(() => {
        if (this.#underWay.get(session) === work) this.#underWay.delete(session);
      });
  }

  /** Gives up what is under way: the next daemon asks for it again. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([...this.#underWay.values()].map(({ outcome }) => outcome));
  }
}
