import { DecisionFinder } from "./decisions.ts";
import { FileFinder } from "./files.ts";
import type { FactFinder } from "./finder.ts";
import { NumberFinder } from "./numbers.ts";
import { ProgressFinder } from "./progress.ts";

/** The finders that need nothing but to be read to; errors are found beside them, for they also resolve old ones. */
export const factFinders: readonly (() => FactFinder)[] = [
  () => new DecisionFinder(),
  () => new FileFinder(),
  () => new ProgressFinder(),
  () => new NumberFinder(),
];
