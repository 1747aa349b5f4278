import type { FeatureGroup } from "./feature-group.ts";

/** Entries that may hold a rare word. */
const RARE = 2;

/** Words that the line shares with what the agent is at, with the task and with what the context shows. */
export const likeness: FeatureGroup = {
  names: ["sim_recent", "sim_recent_n", "sim_task", "sim_task_n", "sim_vis", "rarew"],
  read(line, view, out, at) {
    let total = 1e-6;
    let recent = 0;
    let task = 0;
    let visible = 0;
    let rare = 0;
    for (const word of line.words) {
      const rarity = view.rarity(word);
      total += rarity;
      if (view.isRecent(word)) recent += rarity;
      if (view.book.taskWords.has(word)) task += rarity;
      if (word.shown > 0) visible += rarity;
      if (word.entries <= RARE) rare += rarity;
    }
    out[at] = Math.log1p(recent);
    out[at + 1] = recent / total;
    out[at + 2] = Math.log1p(task);
    out[at + 3] = task / total;
    out[at + 4] = visible / total;
    out[at + 5] = Math.log1p(rare);
  },
};
