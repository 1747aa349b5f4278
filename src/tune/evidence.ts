import type { Sample } from "../replay/bootstrap.ts";
import { grouped } from "../replay/grouping.ts";
import type { Trial } from "./trial.ts";

/** A mean and how far it may be off by the choice of tasks alone. */
export interface MeanWithError {
  readonly mean: number;
  /** Of tasks drawn anew, in the same unit; infinite where one task is all there is. */
  readonly standardError: number;
}

/** The difference of a figure on the same run at the same window, `of` less `to`, with the run's task. */
export function differences(
  of: readonly Trial[],
  to: readonly Trial[],
  figure: (trial: Trial) => number | null,
): Sample[] {
  const others = new Map(to.map((trial) => [keyOf(trial), figure(trial)]));
  return of.flatMap((trial) => {
    const mine = figure(trial);
    const theirs = others.get(keyOf(trial)) ?? null;
    return mine === null || theirs === null ? [] : [{ task: trial.run.task, value: mine - theirs }];
  });
}

/**
 * Mean over samples and its standard error over tasks: the linearised error of a ratio estimate, of clusters of unequal
 * size (Cochran, Sampling Techniques, 3rd ed., 6.4).
 */
export function meanWithError(samples: readonly Sample[]): MeanWithError {
  const mean = samples.reduce((sum, { value }) => sum + value, 0) / samples.length;
  const tasks = [...grouped(samples, ({ task }) => task).values()];
  if (tasks.length < 2) return { mean, standardError: Number.POSITIVE_INFINITY };
  const squares = tasks.reduce((sum, own) => sum + own.reduce((off, { value }) => off + value - mean, 0) ** 2, 0);
  return { mean, standardError: Math.sqrt((squares * tasks.length) / (tasks.length - 1)) / samples.length };
}

function keyOf({ run, window }: Trial): string {
  return `${window} ${run.path}`;
}
