import type { PassView } from "../pass-view.ts";
import type { Line } from "../vocabulary.ts";
import { age } from "./age.ts";
import type { FeatureGroup } from "./feature-group.ts";
import { files } from "./files.ts";
import { focus } from "./focus.ts";
import { habits } from "./habits.ts";
import { place } from "./place.ts";
import { shape } from "./shape.ts";
import { source } from "./source.ts";
import { surroundings } from "./surroundings.ts";
import { texture } from "./texture.ts";
import { values } from "./values.ts";

/** All groups by name; their features in this order are those that a need model may weigh. */
const REGISTRY = {
  shape,
  source,
  place,
  age,
  values,
  focus,
  habits,
  surroundings,
  files,
  texture,
} as const satisfies Record<string, FeatureGroup>;

const GROUPS: readonly FeatureGroup[] = Object.values(REGISTRY);

/** Names of the features of each group. */
export const FEATURE_GROUPS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(REGISTRY).map(([name, { names }]) => [name, names]),
);

export const FEATURES: readonly string[] = GROUPS.flatMap(({ names }) => names);

/** Writes all features of a line, in the order of `FEATURES`. */
export function readFeatures(line: Line, view: PassView, out: Float64Array): void {
  let at = 0;
  for (const group of GROUPS) {
    group.read(line, view, out, at);
    at += group.names.length;
  }
}
