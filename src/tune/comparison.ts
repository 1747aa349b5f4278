import { type Estimate, estimate, type Sample } from "../replay/bootstrap.ts";
import { grouped } from "../replay/grouping.ts";
import { differences } from "./evidence.ts";
import { type Objective, worthOf } from "./objective.ts";
import { type Trial, weighedOf } from "./trial.ts";

/** The figures that are compared, in the order of reports. */
export const FIGURES = ["line", "far", "grounded", "cost", "worth"] as const;
type Figure = (typeof FIGURES)[number];
type Estimates = Readonly<Record<Figure, Estimate | null>>;

/** Two settings on the same trials: means with 95 % intervals by bootstrap over tasks; differences paired run by run. */
export interface Comparison {
  /** Runs, each counted at each window that it fits. */
  readonly runs: number;
  readonly start: Estimates;
  readonly tuned: Estimates;
  /** Tuned less start. */
  readonly difference: Estimates;
}

export interface Comparisons {
  readonly all: Comparison;
  readonly windows: Readonly<Record<string, Comparison>>;
  readonly families: Readonly<Record<string, Comparison>>;
}

export interface TrialPair {
  readonly start: readonly Trial[];
  readonly tuned: readonly Trial[];
}

/** All trials, those of each window in the order given, those of each family. */
export function compareTrials(trials: TrialPair, objective: Objective, order: readonly string[]): Comparisons {
  const by = (keyOf: (trial: Trial) => string) => {
    const start = grouped(trials.start, keyOf);
    const tuned = grouped(trials.tuned, keyOf);
    return Object.fromEntries(
      [...start.keys()]
        .sort((a, b) => order.indexOf(a) - order.indexOf(b) || (a < b ? -1 : 1))
        .map((key): [string, Comparison] => [
          key,
          compare({ start: start.get(key) ?? [], tuned: tuned.get(key) ?? [] }, objective),
        ]),
    );
  };
  return {
    all: compare(trials, objective),
    windows: by(({ window }) => window),
    families: by(({ run }) => run.family),
  };
}

function compare({ start, tuned }: TrialPair, objective: Objective): Comparison {
  const estimates = (samples: (figure: (trial: Trial) => number | null) => Sample[]): Estimates => {
    const figure = (name: Figure) => estimate(samples((trial) => figureOf(trial, name, objective)));
    return {
      line: figure("line"),
      far: figure("far"),
      grounded: figure("grounded"),
      cost: figure("cost"),
      worth: figure("worth"),
    };
  };
  return {
    runs: start.length,
    start: estimates((figure) => samplesOf(start, figure)),
    tuned: estimates((figure) => samplesOf(tuned, figure)),
    difference: estimates((figure) => differences(tuned, start, figure)),
  };
}

/** The figure of each trial that has it, with the task of its run. */
export function samplesOf(trials: readonly Trial[], figure: (trial: Trial) => number | null): Sample[] {
  return trials.flatMap((trial) => {
    const value = figure(trial);
    return value === null ? [] : [{ task: trial.run.task, value }];
  });
}

function figureOf(trial: Trial, name: Figure, objective: Objective): number | null {
  return name === "worth" ? worthOf(objective, weighedOf(trial)) : trial.figures[name];
}
