import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Failure } from "../replay/report.ts";
import { taskNames } from "../replay/report-rows.ts";
import { type Evaluate, Interrupted, type Trial, type TuneRun } from "../tune/index.ts";
import { type ReplayThreads, TaskDropped } from "./replay-threads.ts";

/** The runs that can be tuned on, and what replays them. */
export interface SurveyedRuns {
  readonly runs: readonly TuneRun[];
  /** Runs that could not be read or replayed; grows when trials find more. */
  readonly failures: Failure[];
  /** Runs that fit no window, by the reasons of their windows. */
  readonly unfit: ReadonlyMap<string, number>;
}

interface SurveyOptions {
  readonly paths: readonly string[];
  readonly windows: readonly string[];
  readonly isStopped: () => boolean;
}

/** Reads all runs. Rejects with Interrupted when it is stopped. */
export async function surveyRuns(
  threads: ReplayThreads,
  { paths, windows, isStopped }: SurveyOptions,
): Promise<SurveyedRuns> {
  const outcomes = await unlessDropped(paths.map((path) => threads.ask({ kind: "survey", path }, isStopped)));
  const failures = outcomes.flatMap((outcome) => ("failure" in outcome ? [outcome.failure] : []));
  const read = outcomes.flatMap((outcome, at) =>
    "answer" in outcome ? [{ path: paths[at] as string, ...outcome.answer }] : [],
  );
  const taskOf = taskNames(read);
  const unfit = new Map<string, number>();
  const runs: TuneRun[] = [];
  for (const run of read) {
    if (run.skipped.length < windows.length) runs.push({ path: run.path, family: run.family, task: taskOf(run) });
    else {
      const reasons = [...new Set(run.skipped.map(({ reason }) => reason))].sort().join(" or ");
      unfit.set(reasons, (unfit.get(reasons) ?? 0) + 1);
    }
  }
  return { runs, failures, unfit };
}

/**
 * Trials on all cores. A run that cannot be replayed with the settings of the config is a failure of the run: it is left
 * out from then on. One that other settings cannot replay speaks against them, and is thrown.
 */
export function evaluateOn(threads: Pick<ReplayThreads, "ask">, failures: Failure[]): Evaluate {
  const failed = new Set<string>();
  return async (settings: JsonObject, runs: readonly TuneRun[], isOver) => {
    const able = runs.filter(({ path }) => !failed.has(path));
    const isStart = Object.keys(settings).length === 0;
    const outcomes = await unlessDropped(
      able.map(({ path }) => threads.ask({ kind: "trial", path, settings }, isOver)),
    );
    return outcomes.flatMap((outcome, at): Trial[] => {
      const run = able[at] as TuneRun;
      if ("answer" in outcome) return outcome.answer.map(({ window, figures }) => ({ run, window, figures }));
      if (!isStart) throw new ContextdError("invalid_params", outcome.failure.message, { path: run.path });
      failed.add(run.path);
      failures.push(outcome.failure);
      return [];
    });
  };
}

async function unlessDropped<Outcome>(asked: readonly Promise<Outcome>[]): Promise<Outcome[]> {
  try {
    return await Promise.all(asked);
  } catch (error) {
    if (error instanceof TaskDropped) throw new Interrupted();
    throw error;
  }
}
