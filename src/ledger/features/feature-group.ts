import type { PassView } from "../pass-view.ts";
import type { Line } from "../vocabulary.ts";

/** Features that are found together. A new group is one file and one line in the registry. */
export interface FeatureGroup<Name extends string = string> {
  /** Names by which a need model weighs them. */
  readonly names: readonly Name[];
  /** Writes the group's features of the line to `out`, from `at` on, in the order of `names`. */
  read(line: Line, view: PassView, out: Float64Array, at: number): void;
}
