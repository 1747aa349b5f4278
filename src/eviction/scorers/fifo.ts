import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import type { Scorer } from "../scorer.ts";

/** Turns in which a block's worth by age halves. */
export const AGE_HALF_LIFE = 10;

/** 2^(-age / halfLife): 1 for a block of this turn, 0.5 after `halfLife` turns. */
export function recency(blockTurn: number, turn: number, halfLife: number): number {
  return 2 ** (-Math.max(0, turn - blockTurn) / halfLife);
}

export const fifo = strategy(
  "Whole units, oldest first, in batches: a unit's worth halves every half_life turns.",
  z.strictObject({ half_life: z.number().positive().default(AGE_HALF_LIFE) }),
  (options): Scorer => ({
    name: "fifo",
    actions: ["drop"],
    depth: "target",
    weights: { recency: 1 },
    score(block, view) {
      const score = recency(block.turn, view.turn, options.half_life);
      return { score, parts: { recency: score }, rule: "fifo.age" };
    },
  }),
);
