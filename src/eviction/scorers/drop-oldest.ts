import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import type { Scorer } from "../scorer.ts";

export const dropOldest = strategy(
  "Drops whole units, oldest first, just enough to be under the trigger.",
  z.strictObject({}),
  (): Scorer => ({
    name: "drop_oldest",
    actions: ["drop"],
    depth: "minimal",
    weights: { position: 1 },
    score(block, view) {
      const score = view.unitCount <= 1 ? 1 : 1 - view.unitRank(block.unitId) / (view.unitCount - 1);
      return { score, parts: { position: score }, rule: "drop_oldest.position" };
    },
  }),
);
