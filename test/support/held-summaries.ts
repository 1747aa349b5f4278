import type {
  HistoryRequest,
  ResultsRequest,
  Summaries,
  SummaryOutcome,
  SummaryRequest,
} from "../../src/manager/jobs/summary-job.ts";
import type { Passage } from "../../src/model/passage.ts";

interface Held {
  readonly session: string;
  readonly request: SummaryRequest;
  readonly deliver: (outcome: SummaryOutcome) => Promise<void>;
  readonly outcome: Promise<SummaryOutcome>;
  readonly settle: (outcome: SummaryOutcome) => void;
}

/** A summariser that gives its summaries when the test says so: by default it hangs. */
export class HeldSummaries implements Summaries {
  readonly begun: Held[] = [];
  /** What was to be kept, call by call. */
  readonly kept: [session: string, jobId: string | null][] = [];
  isAvailable = true;
  readonly #underWay = new Map<string, Held>();

  available(): boolean {
    return this.isAvailable;
  }

  /** The requests for summaries of history, and those for shorter results, in their order. */
  get histories(): HistoryRequest[] {
    return this.begun.flatMap(({ request }) => (request.kind === "history" ? [request] : []));
  }

  get results(): ResultsRequest[] {
    return this.begun.flatMap(({ request }) => (request.kind === "results" ? [request] : []));
  }

  /** What is given up may come all the same: late is a case of its own. */
  keep(session: string, jobId: string | null): void {
    this.kept.push([session, jobId]);
  }

  outcome(session: string, jobId: string): Promise<SummaryOutcome> | null {
    const held = this.#underWay.get(session);
    return held?.request.jobId === jobId ? held.outcome : null;
  }

  start(session: string, request: SummaryRequest, deliver: Held["deliver"]): void {
    if (this.#underWay.get(session)?.request.jobId === request.jobId) return;
    let settle: Held["settle"] = () => undefined;
    const outcome = new Promise<SummaryOutcome>((resolve) => {
      settle = resolve;
    });
    const held = { session, request, deliver, outcome, settle };
    this.begun.push(held);
    this.#underWay.set(session, held);
  }

  /** Ends the last job, which must be one for results, with a text for each of which `write` makes one. */
  async endResults(write: (passage: Passage) => string | null): Promise<void> {
    const request = this.begun.at(-1)?.request;
    if (request?.kind !== "results") throw new Error("no shorter results were asked for");
    const texts = request.results.flatMap(({ passage, partHash }) => {
      const text = write(passage);
      return text === null ? [] : [{ blockId: passage.blockId, partHash, text }];
    });
    await this.end({ kind: "results", texts });
  }

  /** Ends the last summary that was begun, and waits until the session has taken it. */
  async end(outcome: Partial<SummaryOutcome> & Pick<SummaryOutcome, "kind">): Promise<void> {
    const held = this.begun.at(-1);
    if (!held) throw new Error("no summary was begun");
    const whole: SummaryOutcome =
      outcome.kind === "failed"
        ? { reason: "deadline", ...outcome, kind: "failed" }
        : outcome.kind === "results"
          ? {
              texts: [],
              model: "scripted",
              inputTokens: 100,
              outputTokens: 10,
              seconds: 1,
              ...outcome,
              kind: "results",
            }
          : {
              text: "## Done\n- The model says that it is done.",
              model: "scripted",
              inputTokens: 100,
              outputTokens: 10,
              seconds: 1,
              fidelity: null,
              ...outcome,
              kind: "prepared",
            };
    held.settle(whole);
    await held.deliver(whole);
    this.#underWay.delete(held.session);
  }
}
