import { z } from "zod";
import { properShare, share } from "./quantities.ts";

const HEALTH_METRICS = [
  "utilization",
  "eviction_rate",
  "compression_ratio",
  "burn_rate",
  "fidelity",
  "tool_result_bloat",
] as const;

const figure = () => z.number().min(0).max(1_000_000);

/** Which figures of a session are watched, and from where they alarm. */
export const healthMonitoring = z
  .strictObject({
    metrics: z
      .array(z.enum(HEALTH_METRICS))
      .default([...HEALTH_METRICS])
      .describe("Figures watched over the last ten turns. Not acted on before health rules are released."),
    alerts: z
      .strictObject({
        utilization_critical: properShare().default(0.9).describe("Share of the window, held for three turns."),
        eviction_rate_warning: figure().default(5).describe("Blocks evicted a turn, held for three turns."),
        fidelity_warning: share().default(0.75).describe("Share of probed facts still answered after a compaction."),
        compression_ratio_min: figure().default(2).describe("Original over compressed size, last three compressions."),
        tool_bloat_warning: share().default(0.3).describe("Share of the context that is tool results."),
      })
      .prefault({})
      .describe("Figures from which an alert is raised. Not acted on before health rules are released."),
  })
  .prefault({})
  .describe("Which figures of a session are watched, and from where they alarm.");
