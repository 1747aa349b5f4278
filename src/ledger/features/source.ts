import { ACTIVITIES } from "../activity.ts";
import type { FeatureGroup } from "./feature-group.ts";

/** Where the line comes from: the kind of work, who wrote it and as what, and whether as a leaf of JSON. */
export const source: FeatureGroup = {
  names: [
    ...ACTIVITIES.map((activity) => `cl_${activity}`),
    "src_tool",
    "src_asst_prose",
    "src_arg",
    "src_name",
    "src_user",
    "json",
  ],
  read(line, view, out, at) {
    const entry = view.entryOf(line);
    const activity = ACTIVITIES.indexOf(entry.activity ?? "other");
    for (let index = 0; index < ACTIVITIES.length; index++) out[at + index] = index === activity ? 1 : 0;
    const rest = at + ACTIVITIES.length;
    out[rest] = entry.role === "tool" ? 1 : 0;
    out[rest + 1] = entry.role === "assistant" && line.source === "text" ? 1 : 0;
    out[rest + 2] = line.source === "argument" ? 1 : 0;
    out[rest + 3] = line.source === "name" ? 1 : 0;
    out[rest + 4] = entry.role === "user" ? 1 : 0;
    out[rest + 5] = entry.isDocument ? 1 : 0;
  },
};
