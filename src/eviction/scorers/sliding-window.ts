import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import type { Scorer } from "../scorer.ts";

export const slidingWindow = strategy(
  "Keeps the newest n units; everything before them leaves with the first pass.",
  z.strictObject({ n: z.int().positive().default(20) }),
  (options): Scorer => ({
    name: "sliding_window",
    actions: ["drop"],
    depth: "minimal",
    weights: { window: 1 },
    exhaustsZero: true,
    score(block, view) {
      const rank = view.unitRank(block.unitId);
      if (rank >= options.n) return { score: 0, parts: { window: 0 }, rule: "sliding_window.outside" };
      const score = 1 - rank / options.n;
      return { score, parts: { window: score }, rule: "sliding_window.inside" };
    },
  }),
);
