import { readFileSync } from "node:fs";
import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { type OpenRun, type Replayer, type RunReport, reportOfRun } from "../replay/replay.ts";
import type { Failure } from "../replay/report.ts";
import type { TrialFigures } from "../tune/index.ts";

/** What is asked of a thread that replays: each names one file. */
export type ReplayTask =
  /** All policies at all windows. */
  | { readonly kind: "replay"; readonly path: string }
  /** What the run is and which windows it fits; replays nothing. */
  | { readonly kind: "survey"; readonly path: string }
  /** One replay at each window, with these settings of the session. */
  | { readonly kind: "trial"; readonly path: string; readonly settings: JsonObject };

/** Only what trials are weighed by: many are kept. */
interface TrialAnswer {
  readonly window: string;
  readonly figures: TrialFigures;
}

/** What is answered to each task. */
interface Answers {
  readonly replay: RunReport;
  readonly survey: RunReport;
  readonly trial: readonly TrialAnswer[];
}

/** What came of one task; a run that cannot be read or replayed is an outcome. */
export type Outcome<Kind extends ReplayTask["kind"]> =
  | { readonly answer: Answers[Kind] }
  | { readonly failure: Failure };

/** Tokens of runs kept open: some 10 bytes of memory each. */
const OPEN_TOKENS = 30_000_000;

/** Does the tasks of one thread. Runs of surveys and trials stay open, the latest used ones. */
export class ReplayDesk {
  readonly #replayer: Replayer;
  readonly #open = new Map<string, OpenRun>();
  #openTokens = 0;

  constructor(replayer: Replayer) {
    this.#replayer = replayer;
  }

  /** Throws only for faults of the program. */
  async do<Task extends ReplayTask>(task: Task): Promise<Outcome<Task["kind"]>> {
    const { path } = task;
    try {
      return { answer: (await this.#answer(task)) as Answers[Task["kind"]] };
    } catch (error) {
      if (error instanceof ContextdError) return { failure: { path, reason: error.reason, message: error.message } };
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      return { failure: { path, reason: "unreadable", message: `${path} cannot be read: ${code}.` } };
    }
  }

  async #answer(task: ReplayTask): Promise<Answers[ReplayTask["kind"]]> {
    const { path } = task;
    if (task.kind === "replay") return this.#replayer.replay(readFileSync(path, "utf8"), path);
    const open = this.#opened(path);
    if (task.kind === "survey") return reportOfRun(open, []);
    const all = await this.#replayer.replayWith(open, { settings: task.settings });
    return all.map(({ window, figures: { line, far, grounded, cost } }) => ({
      window,
      figures: { line, far, grounded, cost },
    }));
  }

  #opened(path: string): OpenRun {
    const open = this.#open.get(path) ?? this.#replayer.open(readFileSync(path, "utf8"), path);
    if (!this.#open.delete(path)) this.#openTokens += open.run.tokens;
    this.#open.set(path, open);
    for (const [oldest, { run }] of this.#open) {
      if (this.#openTokens <= OPEN_TOKENS || oldest === path) break;
      this.#open.delete(oldest);
      this.#openTokens -= run.tokens;
    }
    return open;
  }
}
