import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import { type HealthRule, held, levelAbove, percent } from "../rule.ts";

/** Blocks that must have left before a share of them says anything. */
const LEAST_DEPARTED = 20;

/** What the share is taken to be before anything is known, and the blocks that this weighs: as for the regret scorer. */
const PRIOR_SHARE = 0.2;
const PRIOR_BLOCKS = 10;

export const regretHigh = strategy(
  "Much of what left the context is needed again: the policy takes out the wrong things, or the window is too small.",
  z.strictObject({
    regret_warning: z
      .number()
      .gt(0)
      .max(1)
      .default(0.45)
      .describe("Share of the blocks that left in twenty turns, smoothed; 95 in 100 recorded runs stay below 0.42."),
    ...held(1),
  }),
  (options): HealthRule => ({
    name: "regret_high",
    alert: "RegretHigh",
    severity: "warning",
    metric: null,
    raiseAfter: options.raise_after,
    resolveAfter: options.resolve_after,
    judge({ departed, regretted }) {
      if (departed < LEAST_DEPARTED) return null;
      const share = (regretted + PRIOR_BLOCKS * PRIOR_SHARE) / (departed + PRIOR_BLOCKS);
      return {
        level: levelAbove(share, options.regret_warning),
        summary: `Of ${departed} blocks that left in twenty turns ${regretted} were needed again, a smoothed ${percent(share)}; the limit is ${percent(options.regret_warning)}.`,
      };
    },
  }),
);
