import { grouped } from "./grouping.ts";
import { mulberry32 } from "./mulberry32.ts";

/** A figure of one run, and the task that the run is about. */
export interface Sample {
  readonly task: string;
  readonly value: number;
}

/** A mean over runs with its 95 % interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly runs: number;
}

const RESAMPLES = 2000;
const TAIL = 0.025;
/** One seed for all: the same runs give the same intervals. */
const SEED = 0x5eed;

/**
 * The mean over runs, and its interval by bootstrap over tasks: runs of one task are drawn together, because they are
 * no independent evidence. Given the differences of two policies run by run it is the paired bootstrap. Null without
 * samples.
 *
 * @param seed of the draws; the same one gives the same interval.
 */
export function estimate(samples: readonly Sample[], seed: number = SEED): Estimate | null {
  if (samples.length === 0) return null;
  const tasks = [...grouped(samples, ({ task }) => task).values()].map((own) => ({
    sum: own.reduce((sum, { value }) => sum + value, 0),
    runs: own.length,
  }));
  const random = mulberry32(seed);
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    let runs = 0;
    for (let draw = 0; draw < tasks.length; draw++) {
      const task = tasks[Math.floor(random() * tasks.length)];
      sum += task?.sum ?? 0;
      runs += task?.runs ?? 0;
    }
    return sum / runs;
  }).sort();
  return {
    mean: samples.reduce((sum, { value }) => sum + value, 0) / samples.length,
    low: means[Math.floor(TAIL * RESAMPLES)] as number,
    high: means[Math.ceil((1 - TAIL) * RESAMPLES) - 1] as number,
    runs: samples.length,
  };
}
