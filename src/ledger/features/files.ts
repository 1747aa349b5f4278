import type { FeatureGroup } from "./feature-group.ts";

/** What was done to the files that the line's newest entry is about. */
export const files: FeatureGroup = {
  names: ["f_has", "f_since", "f_touch", "f_later", "f_edit_later", "superseded"],
  read(line, view, out, at) {
    const entry = view.entryOf(line);
    out.fill(0, at, at + this.names.length);
    if (entry.files.size === 0) return;
    out[at] = 1;
    const { touches, later, latest, editedLater, superseded } = view.touchesOf(entry);
    if (touches === 0) return;
    out[at + 1] = Math.log1p(view.turn - latest);
    out[at + 2] = Math.log1p(touches / 2);
    out[at + 3] = Math.log1p(later);
    out[at + 4] = editedLater ? 1 : 0;
    out[at + 5] = superseded ? 1 : 0;
  },
};
