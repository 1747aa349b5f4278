import type { Figures } from "../replay/measure.ts";

/** A run to tune on. */
export interface TuneRun {
  readonly path: string;
  readonly family: string;
  /** The task as the replay tells tasks apart. */
  readonly task: string;
}

/** What trials are weighed and told by. */
export type TrialFigures = Pick<Figures, "line" | "far" | "grounded" | "cost">;

/** What settings did with one run at one window. */
export interface Trial {
  readonly run: TuneRun;
  readonly window: string;
  readonly figures: TrialFigures;
}

/** What is needed of a trial to weigh it: a run without any need says nothing and is no trial. */
export interface Weighed {
  readonly line: number;
  readonly cost: number;
}

/** Means over trials, each run at each window alike. */
export function meansOf(trials: readonly Trial[]): Weighed {
  const mean = (figure: (weighed: Weighed) => number) =>
    trials.reduce((sum, trial) => sum + figure(weighedOf(trial)), 0) / trials.length;
  return { line: mean(({ line }) => line), cost: mean(({ cost }) => cost) };
}

export function weighedOf({ figures }: Trial): Weighed {
  return { line: figures.line ?? 0, cost: figures.cost };
}
