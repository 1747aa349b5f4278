import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import { figure, type HealthRule, held, levelBelow } from "../rule.ts";

/** Compressions that are judged together. */
const COMPRESSIONS = 3;

export const compressionIneffective = strategy(
  "Passes leave much of what they take in its place, and the window stays full.",
  z.strictObject({
    compression_ratio_min: z
      .number()
      .min(0)
      .default(2)
      .describe("Tokens that the last three passes took, over those that they left in the place."),
    ...held(3),
  }),
  (options): HealthRule => ({
    name: "compression_ineffective",
    alert: "CompressionIneffective",
    severity: "warning",
    metric: "compression_ratio",
    raiseAfter: options.raise_after,
    resolveAfter: options.resolve_after,
    judge({ turn, passes, metrics }) {
      if (passes.length < COMPRESSIONS || metrics.compression_ratio === null) return null;
      const summary = `The last three passes took ${figure(metrics.compression_ratio)} times what they left in its place, at least ${figure(options.compression_ratio_min)} is asked for; the zone is ${turn.zone}.`;
      // What was gentle and yet enough did its work.
      const isEnough = turn.zone === "green" || turn.zone === "yellow";
      return {
        level: isEnough ? "good" : levelBelow(metrics.compression_ratio, options.compression_ratio_min),
        summary,
      };
    },
  }),
);
