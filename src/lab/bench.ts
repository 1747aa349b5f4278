import type { Config, Plugins } from "../config/index.ts";
import { ContextdError } from "../model/errors.ts";
import { COUNTS } from "../replay/count-names.ts";
import { Replayer, type RunReport } from "../replay/replay.ts";
import { type LabReport, labReport, type ReportTerms } from "./report.ts";

/** What is replayed and how. Plain data: it goes to a worker thread. */
export interface BenchTerms extends ReportTerms {
  /** As `parseWindow` reads it. */
  readonly window: string;
}

/** Why one run gave nothing. */
export interface RunFailure {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
}

/** Replays runs one after the other and keeps what came of them, with the code and the counts of `contextd replay`. */
export class Bench {
  readonly #terms: BenchTerms;
  readonly #replayer: Replayer;
  readonly #runs: RunReport[] = [];

  /** Throws invalid_params for a policy or a window that is none. */
  constructor(terms: BenchTerms, parts: { readonly config: Config; readonly plugins: Plugins }) {
    this.#terms = terms;
    const { policies, window } = terms;
    this.#replayer = new Replayer({ policies, windows: [window], count: COUNTS[0], model: null, format: null }, parts);
  }

  /** Null when it was replayed. Throws for faults of the program, and what `between` throws. */
  async replay(id: string, text: string, between: (policy: string) => Promise<void>): Promise<RunFailure | null> {
    try {
      this.#runs.push(await this.#replayer.replay(text, id, between));
      return null;
    } catch (error) {
      if (error instanceof ContextdError) return { id, reason: error.reason, message: error.message };
      throw error;
    }
  }

  report(): LabReport {
    return labReport(this.#terms, this.#runs);
  }
}
