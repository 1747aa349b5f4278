import { contentHash } from "../model/content-hash.ts";
import type { TrainingRun } from "./training-run.ts";

/** How runs are held out: all of a task in one of five folds, or all of a family. */
export type Grouping = "task" | "family";

const TASK_FOLDS = 5;
const HASH_DIGITS = 8;

/** Name of the fold of each run. Runs that share a fold are held out together. */
export function foldOf({ task, family }: TrainingRun, by: Grouping): string {
  if (by === "family") return family;
  return String(Number.parseInt(contentHash(task).slice(0, HASH_DIGITS), 16) % TASK_FOLDS);
}
