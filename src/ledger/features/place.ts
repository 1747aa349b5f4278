import type { FeatureGroup } from "./feature-group.ts";

const FIRST_LINES = 3;
const LAST_LINES = 5;

/** Length of the line, and its place in the newest entry that holds it. */
export const place: FeatureGroup = {
  names: ["l_len", "l_pos", "l_end", "l_blk", "first", "last"],
  read({ length, before, behind }, _view, out, at) {
    out[at] = Math.log1p(length);
    out[at + 1] = Math.log1p(before);
    out[at + 2] = Math.log1p(behind);
    out[at + 3] = Math.log1p(before + behind + 1);
    out[at + 4] = before < FIRST_LINES ? 1 : 0;
    out[at + 5] = behind < LAST_LINES ? 1 : 0;
  },
};
