import type { FeatureGroup } from "./feature-group.ts";

/** Turns within which a line is young. */
const YOUNG = 3;

/** How long ago the line was seen, in turns, and how far behind the newest text that has gone. */
export const age: FeatureGroup = {
  names: ["l_since_last", "l_since_first", "l_ldf", "age_le3", "l_n", "l_behind"],
  read(line, { turn, book }, out, at) {
    out[at] = Math.log1p(turn - line.last);
    out[at + 1] = Math.log1p(turn - line.first);
    out[at + 2] = Math.log1p(line.entries);
    out[at + 3] = turn - line.last <= YOUNG ? 1 : 0;
    out[at + 4] = Math.log1p(turn);
    out[at + 5] = Math.log1p(Math.max(0, book.newestHidden - line.last));
  },
};
