import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import { type HealthRule, held, levelAbove, percent } from "../rule.ts";

/** Shares of the window below the limit at which the window has room again: what a turn or two bring in. */
const SLACK = 0.05;

export const contextUtilizationCritical = strategy(
  "The context stays at the edge of its window although the turn's edits are made.",
  z.strictObject({
    utilization_critical: z.number().gt(0).lt(1).default(0.9).describe("Share of the window."),
    ...held(3),
  }),
  (options): HealthRule => ({
    name: "context_utilization_critical",
    alert: "ContextUtilizationCritical",
    severity: "critical",
    metric: "utilization",
    raiseAfter: options.raise_after,
    resolveAfter: options.resolve_after,
    judge({ turn: { utilization } }) {
      const limit = options.utilization_critical;
      return {
        level: levelAbove(utilization, limit, SLACK),
        summary: `The context holds ${percent(utilization)} of its window after the turn's edits; the limit is ${percent(limit)}.`,
      };
    },
  }),
);
