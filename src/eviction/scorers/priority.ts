import { z } from "zod";
import type { Block, BlockType } from "../../model/block.ts";
import { strategy } from "../../model/strategy.ts";
import type { Scorer, ScoringView } from "../scorer.ts";
import { AGE_HALF_LIFE, recency } from "./fifo.ts";

/** How much a block's origin alone is worth. */
const SOURCE_WORTH: Readonly<Record<BlockType, number>> = {
  system_prompt: 1,
  user_message: 1,
  tool_definition: 0.9,
  memory_injection: 0.7,
  summary: 0.7,
  note: 0.7,
  assistant_response: 0.5,
  thinking: 0.5,
  tool_result: 0.3,
};

/** References after which reuse counts in full. */
const FULL_REUSE = 5;

const SHARES = { recency: 0.3, relevance: 0.25, source: 0.2, reuse: 0.15, marker: 0.1 };

function reuse(block: Block): number {
  return Math.min(block.referenceCount / FULL_REUSE, 1);
}

/** 1 for what the agent itself marked: pinned, or written down as a note. */
function marker(block: Block): number {
  return block.pinned || block.type === "note" ? 1 : 0;
}

/** .30 recency + .25 likeness to the task + .20 source + .15 reuse + .10 explicit marker. */
export function importance(block: Block, view: ScoringView, halfLife: number): number {
  const sum =
    SHARES.recency * recency(block.turn, view.turn, halfLife) +
    SHARES.relevance * view.relevance(block.id) +
    SHARES.source * SOURCE_WORTH[block.type] +
    SHARES.reuse * reuse(block) +
    SHARES.marker * marker(block);
  return Math.min(1, sum);
}

export const priority = strategy(
  "Least important first: recency, likeness to the task, source, reuse and explicit markers.",
  z.strictObject({ half_life: z.number().positive().default(AGE_HALF_LIFE) }),
  (options): Scorer => ({
    name: "priority",
    actions: ["clear", "clear_input", "drop"],
    depth: "target",
    weights: SHARES,
    score: (block, view) => ({
      score: importance(block, view, options.half_life),
      parts: {
        recency: SHARES.recency * recency(block.turn, view.turn, options.half_life),
        relevance: SHARES.relevance * view.relevance(block.id),
        source: SHARES.source * SOURCE_WORTH[block.type],
        reuse: SHARES.reuse * reuse(block),
        marker: SHARES.marker * marker(block),
      },
      rule: "priority.sum",
    }),
  }),
);
