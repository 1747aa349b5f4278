import type { PassView } from "../pass-view.ts";
import type { Line } from "../vocabulary.ts";
import { age } from "./age.ts";
import type { FeatureGroup } from "./feature-group.ts";
import { files } from "./files.ts";
import { likeness } from "./likeness.ts";
import { place } from "./place.ts";
import { shape } from "./shape.ts";
import { source } from "./source.ts";
import { surroundings } from "./surroundings.ts";
import { values } from "./values.ts";

/** All groups; their names in this order are the features a need model may weigh. */
const GROUPS: readonly FeatureGroup[] = [shape, source, place, age, values, likeness, surroundings, files];

export const FEATURES: readonly string[] = GROUPS.flatMap(({ names }) => names);

/** Writes all features of a line, in the order of `FEATURES`. */
export function readFeatures(line: Line, view: PassView, out: Float64Array): void {
  let at = 0;
  for (const group of GROUPS) {
    group.read(line, view, out, at);
    at += group.names.length;
  }
}
