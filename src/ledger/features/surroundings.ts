import type { FeatureGroup } from "./feature-group.ts";

/** How the lines around it, and all of its newest entry, were used. */
export const surroundings: FeatureGroup = {
  names: ["nbr_rec", "nbr_ment", "blk_use", "blk_late", "blk_rec"],
  read(line, view, out, at) {
    const around = view.aroundOf(line);
    const use = view.useOf(view.entryOf(line));
    out[at] = around.recency;
    out[at + 1] = around.mentions;
    out[at + 2] = Math.log1p(use.mentioned);
    out[at + 3] = Math.log1p(use.late);
    out[at + 4] = Math.log1p(use.recent);
  },
};
