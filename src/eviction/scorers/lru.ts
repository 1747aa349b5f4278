import { z } from "zod";
import type { Block } from "../../model/block.ts";
import { strategy } from "../../model/strategy.ts";
import type { Scorer } from "../scorer.ts";

/** Turns without a reference in which a block's worth halves. */
export const IDLE_HALF_LIFE = 5;
/** What is left of the worth of a block that nothing has referenced yet. */
const UNREFERENCED_SHARE = 0.6;

/** 2^(-idle / halfLife), idle counted from the last reference or from arrival; x 0.6 when never referenced. */
export function use(block: Block, turn: number, halfLife: number): number {
  const idle = turn - Math.max(block.lastReferencedTurn ?? block.turn, block.turn);
  const fresh = 2 ** (-Math.max(0, idle) / halfLife);
  return block.lastReferencedTurn === null ? fresh * UNREFERENCED_SHARE : fresh;
}

export const lru = strategy(
  "Least recently referenced first: worth halves every half_life turns without a reference.",
  z.strictObject({ half_life: z.number().positive().default(IDLE_HALF_LIFE) }),
  (options): Scorer => ({
    name: "lru",
    actions: ["clear", "clear_input", "drop"],
    depth: "target",
    weights: { reference_freq: 1 },
    score(block, view) {
      const score = use(block, view.turn, options.half_life);
      const rule = block.lastReferencedTurn === null ? "lru.unreferenced" : "lru.idle";
      return { score, parts: { reference_freq: score }, rule };
    },
  }),
);
