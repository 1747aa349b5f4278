import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import type { Scorer } from "../scorer.ts";

export const superseded = strategy(
  "What is out of date first: a newer result of the same call, or a later write of the same file.",
  z.strictObject({}),
  (): Scorer => ({
    name: "superseded",
    actions: ["clear", "clear_input", "drop"],
    depth: "target",
    weights: { superseded: 1 },
    score(block, view) {
      const by = view.superseded(block.id);
      const score = by === null ? 1 : 0;
      return { score, parts: { superseded: score }, rule: `superseded.${by?.rule ?? "current"}` };
    },
  }),
);
