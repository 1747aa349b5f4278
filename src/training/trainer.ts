import { FEATURES, type NeedModel, type NeedModelFile, readNeedModel } from "../ledger/index.ts";
import type { WindowSpec } from "../replay/windows.ts";
import { collectRows } from "./collect.ts";
import { foldOf, type Grouping } from "./folds.ts";
import { type HeldOut, type PlayParts, playHeldOut } from "./held-out.ts";
import { fitPoisson } from "./poisson.ts";
import { RowTable } from "./row-table.ts";
import type { TrainingSettings } from "./settings.ts";
import type { TrainingRun } from "./training-run.ts";

/** Weights are rounded to this, so that a file does not differ by the last bits of a machine's logarithm. */
const DIGITS = 1e5;

export interface FitChoice {
  /** Names of the features that may weigh; all when absent. */
  readonly features?: readonly string[];
  readonly alpha?: number;
  readonly leastDeviation?: number;
}

/** Called after each step of a long task. */
export type OnStep = () => void;

/** Learns need models from runs. Rows are collected once; each fit chooses among them. */
export class Trainer {
  readonly runs: readonly TrainingRun[];
  readonly #settings: TrainingSettings;
  readonly #table = new RowTable(FEATURES.length);

  constructor(runs: readonly TrainingRun[], settings: TrainingSettings) {
    this.runs = runs;
    this.#settings = settings;
  }

  /** Rows collected, and those of lines that met a need. */
  get rows(): { readonly all: number; readonly positive: number } {
    return { all: this.#table.length, positive: this.#table.positive };
  }

  /** To be called once, before any fit. `onStep` after each run. */
  collect(onStep: OnStep): void {
    for (const [number, run] of this.runs.entries()) {
      collectRows(run, number, this.#settings.collect, this.#table);
      onStep();
    }
  }

  /** The model of the included runs. Throws RangeError when they hold nothing to learn from. */
  fit(includes: (run: TrainingRun) => boolean = () => true, choice: FitChoice = {}): NeedModelFile {
    const { alpha = this.#settings.alpha, leastDeviation = this.#settings.least_deviation, features } = choice;
    const chosen = FEATURES.flatMap((name, number) =>
      features === undefined || features.includes(name) ? number : [],
    );
    const included = this.runs.map(includes);
    const fit = fitPoisson(this.#table, {
      alpha,
      leastDeviation,
      features: chosen,
      includes: (run) => included[run] === true,
    });
    const rounded = (value: number) => Math.round(value * DIGITS) / DIGITS;
    return {
      kind: "log-linear",
      version: 1,
      bias: rounded(fit.bias),
      weights: Object.fromEntries(
        chosen.map((number) => [FEATURES[number] as string, rounded(fit.weights[number] as number)]),
      ),
    };
  }

  /** A model for each fold, learned from all others. */
  foldModels(by: Grouping, choice: FitChoice = {}): Map<string, NeedModel> {
    const folds = [...new Set(this.runs.map((run) => foldOf(run, by)))].sort();
    return new Map(folds.map((fold) => [fold, readNeedModel(this.fit((run) => foldOf(run, by) !== fold, choice))]));
  }

  /** Plays every run with the model that has not seen its fold. `onStep` after each run. */
  async crossValidate(
    by: Grouping,
    windows: readonly WindowSpec[],
    parts: PlayParts,
    { choice = {}, onStep = () => {} }: { readonly choice?: FitChoice; readonly onStep?: OnStep } = {},
  ): Promise<HeldOut[]> {
    const models = this.foldModels(by, choice);
    const played: HeldOut[] = [];
    for (const run of this.runs) {
      played.push(...(await playHeldOut(run, windows, models.get(foldOf(run, by)) as NeedModel, parts)));
      onStep();
    }
    return played;
  }
}
