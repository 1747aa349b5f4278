import type { FeatureGroup } from "./feature-group.ts";

/** What the line is about, by its terms: what the agent wrote lately, what came in last, and the task. */
export const focus: FeatureGroup = {
  names: [
    "t_lately_max",
    "t_lately_share",
    "t_lately",
    "t_long_max",
    "t_long_share",
    "t_task_max",
    "t_task_share",
    "t_task",
    "t_heard_share",
    "t_specific",
    "t_specific_max",
    "t_mentions",
    "t_entry_lately",
    "t_entry_long",
    "t_entry_task",
  ],
  read(line, view, out, at) {
    let total = 1e-6;
    let lately = 0;
    let long = 0;
    let task = 0;
    let heard = 0;
    let mentions = 0;
    let mostSpecific = 0;
    let mostLately = 0;
    let mostLong = 0;
    let mostTask = 0;
    for (const term of line.terms) {
      const specific = view.specificity(term);
      const now = specific * view.termRecency(term, "lately");
      const then = specific * view.termRecency(term, "long");
      total += specific;
      lately += now;
      long += then;
      mentions += specific * Math.log1p(term.mentions);
      if (term.inTask) task += specific;
      if (term.inTask && specific > mostTask) mostTask = specific;
      if (view.wasHeardLast(term)) heard += specific;
      if (specific > mostSpecific) mostSpecific = specific;
      if (now > mostLately) mostLately = now;
      if (then > mostLong) mostLong = then;
    }
    const entry = view.focusOf(view.entryOf(line));
    out[at] = mostLately;
    out[at + 1] = lately / total;
    out[at + 2] = Math.log1p(lately);
    out[at + 3] = mostLong;
    out[at + 4] = long / total;
    out[at + 5] = mostTask;
    out[at + 6] = task / total;
    out[at + 7] = Math.log1p(task);
    out[at + 8] = heard / total;
    out[at + 9] = total / Math.max(1, line.terms.length);
    out[at + 10] = mostSpecific;
    out[at + 11] = mentions / total;
    out[at + 12] = entry.lately;
    out[at + 13] = entry.long;
    out[at + 14] = entry.task;
  },
};
