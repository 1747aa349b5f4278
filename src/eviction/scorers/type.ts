import { z } from "zod";
import type { Block, BlockType } from "../../model/block.ts";
import { strategy } from "../../model/strategy.ts";
import type { Scorer } from "../scorer.ts";

const turns = z.number().positive().nullable();

/** Turns that a block of each type stays worth something; null: for ever. Types not listed live for ever. */
export const typeTtl = z.strictObject({
  tool_result: turns.default(8),
  thinking: turns.default(2),
  memory_injection: turns.default(20),
  assistant_response: turns.default(30),
  user_message: turns.default(null),
  summary: turns.default(null),
  note: turns.default(null),
});

/** 1 - age / ttl, 0 past it; 1 for a type without a time to live. */
export function lifeLeft(block: Block, turn: number, ttl: Partial<Record<BlockType, number | null>>): number {
  const limit = ttl[block.type] ?? null;
  if (limit === null) return 1;
  return Math.min(1, Math.max(0, 1 - (turn - block.turn) / limit));
}

export const type = strategy(
  "By time to live of the block's type: expired first.",
  z.strictObject({ type_ttl: typeTtl.prefault({}) }),
  (options): Scorer => ({
    name: "type",
    actions: ["clear", "clear_input", "drop"],
    depth: "target",
    weights: { type_ttl: 1 },
    score(block, view) {
      const score = lifeLeft(block, view.turn, options.type_ttl);
      return { score, parts: { type_ttl: score }, rule: score === 0 ? "type.expired" : "type.ttl" };
    },
  }),
);
