export { type Ablation, ablate, VARIANTS } from "./ablation.ts";
export type { Grouping } from "./folds.ts";
export type { PlayParts } from "./held-out.ts";
export { withProvenance } from "./model-file.ts";
export { TRAINING_SETTINGS, type TrainingSettings } from "./settings.ts";
export { familySummariesOf, type Summaries, type Summary, summariesOf } from "./summary.ts";
export { Trainer } from "./trainer.ts";
export { type RunText, readRuns } from "./training-run.ts";
