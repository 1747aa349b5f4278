import { textureOf } from "../texture.ts";
import type { FeatureGroup } from "./feature-group.ts";

/** What the line is made of, and how much of it are values that only the ledger can give. */
export const texture: FeatureGroup = {
  names: ["x_cover", "x_longest", "x_digits", "x_letters", "x_upper", "x_marks", "x_words", "x_indent"],
  read(line, view, out, at) {
    line.texture ??= textureOf(line.text);
    let covered = 0;
    let longest = 0;
    for (const value of line.values) {
      if (!view.isHidden(value)) continue;
      covered += value.length;
      longest = Math.max(longest, value.length);
    }
    const { length, digits, letters, upper, marks, words, indent } = line.texture;
    out[at] = Math.min(1, covered / length);
    out[at + 1] = Math.log1p(longest);
    out[at + 2] = digits;
    out[at + 3] = letters;
    out[at + 4] = upper;
    out[at + 5] = marks;
    out[at + 6] = Math.log1p(words);
    out[at + 7] = Math.log1p(indent);
  },
};
