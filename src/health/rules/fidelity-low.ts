import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import { type HealthRule, held, levelBelow, percent } from "../rule.ts";

/** Share of the facts by which the figure must be better again: with thirty probes its standard error is about .08. */
const SLACK = 0.05;

export const fidelityLow = strategy(
  "Passes take out facts that the context then no longer tells.",
  z.strictObject({
    fidelity_warning: z.number().min(0).max(1).default(0.75).describe("Share of the probed facts that are still told."),
    min_probes: z
      .int()
      .min(1)
      .max(1000)
      .default(30)
      .describe("Probes of the last ten turns below which nothing is said: a pass is asked three or four."),
    ...held(3),
  }),
  (options): HealthRule => ({
    name: "fidelity_low",
    alert: "FidelityLow",
    severity: "warning",
    metric: "fidelity",
    raiseAfter: options.raise_after,
    resolveAfter: options.resolve_after,
    judge({ turns, metrics }) {
      const probes = turns.reduce((sum, turn) => sum + turn.probes, 0);
      if (metrics.fidelity === null || probes < options.min_probes) return null;
      return {
        level: levelBelow(metrics.fidelity, options.fidelity_warning, SLACK),
        summary: `The context still tells ${percent(metrics.fidelity)} of ${probes} facts that the passes of ten turns were asked for; at least ${percent(options.fidelity_warning)} is asked for.`,
      };
    },
  }),
);
