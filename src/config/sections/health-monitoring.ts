import { z } from "zod";
import { HEALTH_METRICS } from "../../health/index.ts";
import { properShare, share } from "./quantities.ts";

const figure = () => z.number().min(0).max(1_000_000);

/** Which figures of a session are watched, and from where they alarm. `rules` are the names of the health rules. */
export const healthMonitoring = (rules: readonly string[]) =>
  z
    .strictObject({
      metrics: z
        .array(z.enum(HEALTH_METRICS))
        .default([...HEALTH_METRICS])
        .describe("Figures watched over the last ten turns; the rules of a figure that is left out are off."),
      alerts: z
        .strictObject({
          utilization_critical: properShare()
            .default(0.9)
            .describe("Share of the window that the context holds after the edits, three turns in a row."),
          eviction_rate_warning: figure()
            .default(5)
            .describe("Blocks evicted a turn, the mean of ten turns of which five or more evicted."),
          fidelity_warning: share()
            .default(0.75)
            .describe("Share of the probed facts that the context still tells after the passes of ten turns."),
          compression_ratio_min: figure()
            .default(2)
            .describe("Tokens that the last three passes took over those they left, where orange is not left by them."),
          tool_bloat_warning: share()
            .default(0.3)
            .describe("Share of the context that is tool results, in orange or red, three turns in a row."),
          burn_rate_factor: z
            .number()
            .gt(1)
            .max(1_000_000)
            .default(3)
            .describe("Tokens a turn of the last ten turns over those of all turns before."),
          regret_warning: z
            .number()
            .gt(0)
            .max(1)
            .default(0.45)
            .describe("Smoothed share of the blocks that left in twenty turns which were needed again."),
        })
        .prefault({})
        .describe("Figures from which an alert is raised."),
      disabled_rules: z.array(z.enum(rules)).default([]).describe("Health rules that are off; plug-ins add names."),
      options: z
        .record(z.string(), z.record(z.string(), z.json()))
        .default({})
        .describe("Options of health rules by name, checked by the rule; they win over `alerts`."),
    })
    .prefault({})
    .describe("Which figures of a session are watched, and from where they alarm.");
