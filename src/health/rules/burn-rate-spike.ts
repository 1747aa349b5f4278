import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import { figure, type HealthRule, held, levelAbove } from "../rule.ts";
import { WINDOW_TURNS } from "../turns.ts";

/** Share of the window that ten turns at this rate must bring in: slower than that, no haste is needed. */
const LEAST_FILL = 0.1;

export const burnRateSpike = strategy(
  "The session takes in several times the tokens a turn that it did before.",
  z.strictObject({
    burn_rate_factor: z
      .number()
      .gt(1)
      .default(3)
      .describe("Mean growth of the last ten turns over that of all turns before."),
    ...held(3),
  }),
  (options): HealthRule => ({
    name: "burn_rate_spike",
    alert: "BurnRateSpike",
    severity: "warning",
    metric: "burn_rate",
    raiseAfter: options.raise_after,
    resolveAfter: options.resolve_after,
    judge({ turn, baseline, metrics }) {
      const { burn_rate: rate } = metrics;
      if (rate === null || baseline === null || baseline.turns < WINDOW_TURNS || baseline.growth <= 0) return null;
      const factor = rate / baseline.growth;
      const level = levelAbove(factor, options.burn_rate_factor);
      const matters = rate * WINDOW_TURNS >= LEAST_FILL * turn.max_tokens;
      return {
        level: level === "bad" && !matters ? "between" : level,
        summary: `${Math.round(rate)} tokens a turn come in, ${figure(factor)} times the ${Math.round(baseline.growth)} of the turns before; the limit is ${figure(options.burn_rate_factor)} times.`,
      };
    },
  }),
);
