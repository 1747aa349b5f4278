import { FEATURE_GROUPS, FEATURES } from "../ledger/index.ts";
import type { JsonObject } from "../model/json.ts";
import type { WindowSpec } from "../replay/windows.ts";
import type { Grouping } from "./folds.ts";
import type { PlayParts } from "./held-out.ts";
import { type Summaries, summariesOf } from "./summary.ts";
import type { FitChoice, OnStep, Trainer } from "./trainer.ts";

/** One thing changed, everything else as it is. */
interface Variant {
  readonly name: string;
  readonly choice?: FitChoice;
  readonly ledger?: JsonObject;
}

export interface Ablation {
  readonly name: string;
  readonly summaries: Summaries;
}

/** Every feature group left out, other penalties, and other ledgers. */
export const VARIANTS: readonly Variant[] = [
  { name: "as it is" },
  ...Object.entries(FEATURE_GROUPS).map(([group, names]) => ({
    name: `without ${group}`,
    choice: { features: FEATURES.filter((name) => !names.includes(name)) },
  })),
  { name: "penalty / 3", choice: { alpha: 0.001 } },
  { name: "penalty x 3", choice: { alpha: 0.01 } },
  { name: "no least deviation", choice: { leastDeviation: 0 } },
  { name: "no ledger", ledger: { enabled: false } },
  { name: "no least need", ledger: { least_need: 0 } },
  { name: "one segment", ledger: { stable_share: 0 } },
  { name: "stable share 0.5", ledger: { stable_share: 0.5 } },
  { name: "ledger share 0.3", ledger: { share: 0.3 } },
  { name: "ledger share 0.5", ledger: { share: 0.5 } },
];

/** Cross-validates each variant. `onStep` after each run of each. */
export async function* ablate(
  trainer: Trainer,
  by: Grouping,
  windows: readonly WindowSpec[],
  parts: PlayParts,
  onStep: OnStep,
): AsyncGenerator<Ablation> {
  for (const { name, choice = {}, ledger } of VARIANTS) {
    const settings = ledger === undefined ? {} : { ledger };
    const played = await trainer.crossValidate(by, windows, { ...parts, settings }, { choice, onStep });
    yield { name, summaries: summariesOf(played) };
  }
}
