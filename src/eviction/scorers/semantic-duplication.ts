import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import type { Scorer, ScoringView } from "../scorer.ts";

/** 1 - the highest similarity to a newer live block; 1 when none is alike. */
export function novelty(blockId: string, view: ScoringView): number {
  return 1 - (view.similarity(blockId)?.score ?? 0);
}

export const semanticDuplication = strategy(
  "What a newer block repeats first: 1 - similarity to the most similar newer block.",
  z.strictObject({}),
  (): Scorer => ({
    name: "semantic_duplication",
    actions: ["clear", "clear_input", "drop"],
    depth: "target",
    weights: { semantic_duplication: 1 },
    score(block, view) {
      const score = novelty(block.id, view);
      const rule = score < 1 ? "semantic_duplication.similar" : "semantic_duplication.unique";
      return { score, parts: { semantic_duplication: score }, rule };
    },
  }),
);
