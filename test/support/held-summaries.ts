import type { Summaries, SummaryOutcome, SummaryRequest } from "../../src/manager/summary-job.ts";

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

  /** Ends the last summary that was begun, and waits until the session has taken it. */
  async end(outcome: Partial<SummaryOutcome> & Pick<SummaryOutcome, "kind">): Promise<void> {
    const held = this.begun.at(-1);
    if (!held) throw new Error("no summary was begun");
    const whole: SummaryOutcome =
      outcome.kind === "failed"
        ? { reason: "deadline", ...outcome, kind: "failed" }
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
