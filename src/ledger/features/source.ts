import type { FeatureGroup } from "./feature-group.ts";

/** Who wrote the line and as what, and whether as a leaf of JSON. */
export const source: FeatureGroup = {
  names: ["src_tool", "src_asst_prose", "src_arg", "src_name", "src_user", "json"],
  read(line, view, out, at) {
    const entry = view.entryOf(line);
    out[at] = entry.role === "tool" ? 1 : 0;
    out[at + 1] = entry.role === "assistant" && line.source === "text" ? 1 : 0;
    out[at + 2] = line.source === "argument" ? 1 : 0;
    out[at + 3] = line.source === "name" ? 1 : 0;
    out[at + 4] = entry.role === "user" ? 1 : 0;
    out[at + 5] = entry.isDocument ? 1 : 0;
  },
};
