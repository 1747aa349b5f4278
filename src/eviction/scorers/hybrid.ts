import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import type { Scorer } from "../scorer.ts";
import { AGE_HALF_LIFE, recency } from "./fifo.ts";
import { IDLE_HALF_LIFE, use } from "./lru.ts";
import { importance } from "./priority.ts";
import { novelty } from "./semantic-duplication.ts";
import { lifeLeft, typeTtl } from "./type.ts";

const weight = z.number().min(0);

/** Weights of the signals; only their proportions count. */
const hybridWeights = z
  .strictObject({
    recency: weight.default(0.3),
    priority: weight.default(0.25),
    type_ttl: weight.default(0.2),
    reference_freq: weight.default(0.15),
    semantic_duplication: weight.default(0.1),
  })
  .refine((weights) => Object.values(weights).some((value) => value > 0), "at least one weight must be above 0");

/**
 * Weighted mean of recency (fifo), priority, type_ttl (type), reference_freq (lru) and
 * semantic_duplication, each weight as a share of their sum. A superseded block keeps `superseded_share` of
 * that, and the loss stands in the parts as the negative part `superseded`.
 */
export const hybrid = strategy(
  "Weighted sum of recency, priority, type_ttl, reference_freq and semantic_duplication; superseded blocks nearly 0.",
  z.strictObject({
    weights: hybridWeights.prefault({}),
    type_ttl: typeTtl.prefault({}),
    age_half_life: z.number().positive().default(AGE_HALF_LIFE),
    idle_half_life: z.number().positive().default(IDLE_HALF_LIFE),
    superseded_share: z.number().min(0).max(1).default(0.1),
  }),
  (options): Scorer => {
    const total = Object.values(options.weights).reduce((sum, value) => sum + value, 0);
    const share = (value: number) => value / total;
    const recencyShare = share(options.weights.recency);
    const priorityShare = share(options.weights.priority);
    const ttlShare = share(options.weights.type_ttl);
    const referenceShare = share(options.weights.reference_freq);
    const duplicationShare = share(options.weights.semantic_duplication);
    return {
      name: "hybrid",
      actions: ["clear", "clear_input", "drop"],
      depth: "target",
      weights: {
        recency: recencyShare,
        priority: priorityShare,
        type_ttl: ttlShare,
        reference_freq: referenceShare,
        semantic_duplication: duplicationShare,
      },
      score(block, view) {
        const parts = {
          recency: recencyShare * recency(block.turn, view.turn, options.age_half_life),
          priority: priorityShare * importance(block, view, options.age_half_life),
          type_ttl: ttlShare * lifeLeft(block, view.turn, options.type_ttl),
          reference_freq: referenceShare * use(block, view.turn, options.idle_half_life),
          semantic_duplication: duplicationShare * novelty(block.id, view),
          superseded: 0,
        };
        const sum = parts.recency + parts.priority + parts.type_ttl + parts.reference_freq + parts.semantic_duplication;
        const by = view.superseded(block.id);
        if (by === null) return { score: Math.min(1, sum), parts, rule: "hybrid.sum" };
        parts.superseded = -sum * (1 - options.superseded_share);
        return { score: Math.min(1, sum * options.superseded_share), parts, rule: `hybrid.${by.rule}` };
      },
    };
  },
);
