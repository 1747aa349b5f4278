import { z } from "zod";
import type { Block, BlockType } from "../../model/block.ts";
import { strategy } from "../../model/strategy.ts";
import type { Score, Scorer, ScoringView } from "../scorer.ts";
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

/**
 * .30 recency + .25 likeness to the task + .20 source + .15 reuse + .10 explicit marker (pinned, or written
 * down as a note by the agent).
 */
export function priorityScore(block: Block, view: ScoringView, halfLife: number): Score {
  const parts = {
    recency: 0.3 * recency(block.turn, view.turn, halfLife),
    relevance: 0.25 * view.relevance(block.id),
    source: 0.2 * SOURCE_WORTH[block.type],
    reuse: 0.15 * Math.min(block.referenceCount / FULL_REUSE, 1),
    marker: block.pinned || block.type === "note" ? 0.1 : 0,
  };
  const score = parts.recency + parts.relevance + parts.source + parts.reuse + parts.marker;
  return { score: Math.min(1, score), parts, rule: "priority.sum" };
}

export const priority = strategy(
  "Least important first: recency, likeness to the task, source, reuse and explicit markers.",
  z.strictObject({ half_life: z.number().positive().default(AGE_HALF_LIFE) }),
  (options): Scorer => ({
    name: "priority",
    actions: ["clear", "clear_input", "drop"],
    depth: "target",
    score: (block, view) => priorityScore(block, view, options.half_life),
  }),
);
