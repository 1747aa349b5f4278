import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import { figure, type HealthRule, held, levelAbove } from "../rule.ts";
import { WINDOW_TURNS } from "../turns.ts";

/**
 * Turns of the window with evictions from which they are called sustained. One deep pass takes dozens of blocks at once and
 * is what passes should be: in recorded runs it puts the mean of a quarter of the sessions above the limit.
 */
const SUSTAINED_TURNS = WINDOW_TURNS / 2;

export const evictionRateHigh = strategy(
  "Blocks are evicted turn after turn: the context is taken apart as fast as it is filled.",
  z.strictObject({
    eviction_rate_warning: z.number().min(0).default(5).describe("Blocks a turn, the mean of ten turns."),
    ...held(3),
  }),
  (options): HealthRule => ({
    name: "eviction_rate_high",
    alert: "EvictionRateHigh",
    severity: "warning",
    metric: "eviction_rate",
    raiseAfter: options.raise_after,
    resolveAfter: options.resolve_after,
    judge({ turns, metrics }) {
      if (turns.length < WINDOW_TURNS || metrics.eviction_rate === null) return null;
      const evicting = turns.filter(({ evicted }) => evicted > 0).length;
      const level = levelAbove(metrics.eviction_rate, options.eviction_rate_warning);
      return {
        level: level === "bad" && evicting < SUSTAINED_TURNS ? "between" : level,
        summary: `${figure(metrics.eviction_rate)} blocks a turn were evicted over ten turns, in ${evicting} of them; the limit is ${figure(options.eviction_rate_warning)}.`,
      };
    },
  }),
);
