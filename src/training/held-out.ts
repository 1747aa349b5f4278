import type { Config, Plugins } from "../config/index.ts";
import type { NeedModel } from "../ledger/index.ts";
import type { JsonObject } from "../model/json.ts";
import { measureReplay } from "../replay/field.ts";
import { managedContender } from "../replay/managed.ts";
import { type Figures, LEAST_NEEDS } from "../replay/measure.ts";
import { unfitWindow, type WindowSpec } from "../replay/windows.ts";
import type { ModelCatalogue, TokenCounter } from "../tokens/index.ts";
import { TRAINING_PRICES, type TrainingRun } from "./training-run.ts";

/** What the daemon's core needs to play a run. */
export interface PlayParts {
  readonly config: Config;
  readonly plugins: Plugins;
  readonly catalogue: ModelCatalogue;
  readonly counter: TokenCounter;
  /** Settings of the sessions over the config's. */
  readonly settings?: JsonObject;
}

/** A run at a window, under a model. */
export interface HeldOut {
  readonly run: TrainingRun;
  readonly window: string;
  readonly figures: Figures;
}

/** Plays the run through the daemon's core with the config's settings and the model, at each window that it fits. */
export async function playHeldOut(
  run: TrainingRun,
  windows: readonly WindowSpec[],
  needModel: NeedModel,
  parts: PlayParts,
): Promise<HeldOut[]> {
  const { prepared, unboundedCost } = run;
  const contender = managedContender("held out", { ...parts, needModel }, { settings: parts.settings ?? {} });
  const played: HeldOut[] = [];
  for (const { label, tokensOf } of windows) {
    const window = tokensOf({ tokens: prepared.tokens, own: null });
    if (window === null || unfitWindow(window, { tokens: prepared.tokens, pinned: prepared.pinnedTokens }) !== null)
      continue;
    const figures = await measureReplay(prepared, contender, { window, prices: TRAINING_PRICES, unboundedCost });
    if (figures.needs >= LEAST_NEEDS) played.push({ run, window: label, figures });
  }
  return played;
}
