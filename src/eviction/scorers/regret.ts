import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import type { Scorer } from "../scorer.ts";
import { AGE_HALF_LIFE, recency } from "./fifo.ts";

/**
 * Age, raised by experience: of what age has taken from a block's worth, the share that is expected to be needed
 * again is given back. With r = 2^(-age / half_life) and p the re-need rate, the score is r + p * (1 - r): the chance
 * that the block is of use, be it for its age or because its like was needed again. No weighted sum: it has no weights.
 */
export const regret = strategy(
  "Oldest first, but what the session has needed again of the same tool and type stays longer.",
  z.strictObject({ half_life: z.number().positive().default(AGE_HALF_LIFE) }),
  (options): Scorer => ({
    name: "regret",
    actions: ["clear", "clear_input", "drop"],
    depth: "target",
    score(block, view) {
      const age = recency(block.turn, view.turn, options.half_life);
      const raised = view.reneedRate(block) * (1 - age);
      return {
        score: age + raised,
        parts: { recency: age, reneed: raised },
        rule: raised > age ? "regret.reneed" : "regret.age",
      };
    },
  }),
);
