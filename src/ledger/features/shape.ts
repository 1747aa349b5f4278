import { SHAPES } from "../shapes.ts";
import type { FeatureGroup } from "./feature-group.ts";

/** What the line looks like: 0 or 1 each. */
export const shape: FeatureGroup = {
  names: Object.keys(SHAPES),
  read(line, _view, out, at) {
    for (let bit = 0; bit < this.names.length; bit++) out[at + bit] = (line.shapes >> bit) & 1;
  },
};
