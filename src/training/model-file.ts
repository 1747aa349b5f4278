import type { NeedModelFile } from "../ledger/index.ts";
import { contentHash } from "../model/content-hash.ts";
import type { Grouping } from "./folds.ts";
import type { TrainingSettings } from "./settings.ts";
import type { Summaries } from "./summary.ts";
import type { Trainer } from "./trainer.ts";

/** What is written beside the weights, so that a reader knows what they were learned from and how well they did. */
export interface ProvenanceParts {
  /** Version of contextd. */
  readonly version: string;
  readonly settings: TrainingSettings;
  readonly count: string;
  /** By how the runs were held out. Not there when nothing was held out. */
  readonly crossValidation: Readonly<Partial<Record<Grouping, Summaries>>>;
}

/** The model with its provenance: nothing in it names a run, and nothing depends on the day. */
export function withProvenance(
  model: NeedModelFile,
  { runs, rows }: Pick<Trainer, "runs" | "rows">,
  { version, settings, count, crossValidation }: ProvenanceParts,
): NeedModelFile {
  return {
    ...model,
    provenance: {
      contextd: version,
      runs: runs.length,
      families: new Set(runs.map(({ family }) => family)).size,
      tasks: new Set(runs.map(({ task }) => task)).size,
      runs_digest: contentHash(runs.map(({ digest }) => digest).join("\n")),
      rows: rows.all,
      rows_with_need: rows.positive,
      count,
      settings,
      cross_validation: crossValidation,
    },
  };
}
