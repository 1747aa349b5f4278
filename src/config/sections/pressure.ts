import { z } from "zod";
import { count, properShare } from "./quantities.ts";

const thresholds = z
  .strictObject({
    yellow: properShare()
      .describe("Share of the window from which candidates are looked at.")
      .meta({ examples: [0.5] }),
    orange: properShare()
      .describe("Share of the window from which blocks are evicted.")
      .meta({ examples: [0.75] }),
    red: properShare()
      .describe("Share of the window from which compaction is due at once.")
      .meta({ examples: [0.9] }),
  })
  .superRefine(({ yellow, orange, red }, context) => {
    if (orange <= yellow) {
      context.addIssue({ code: "custom", path: ["orange"], message: `must be above yellow (${yellow})` });
    }
    if (red <= orange) {
      context.addIssue({ code: "custom", path: ["red"], message: `must be above orange (${orange})` });
    }
  });

/** When a window counts as full, and how its growth is forecast. */
export const pressure = z
  .strictObject({
    thresholds: z
      .union([z.literal("auto"), thresholds])
      .default("auto")
      .describe(
        "Lower bounds of the zones as shares of the window; `auto` by its size: .40/.65/.80 to 8k, " +
          ".45/.70/.85 to 32k, .50/.75/.90 to 128k, .55/.80/.90 above.",
      ),
    velocity_window: count(1, 1000).default(5).describe("Turns whose growth is averaged into the velocity."),
    hysteresis: z
      .number()
      .min(0)
      .max(0.2)
      .default(0.02)
      .describe("Share of the window below a threshold before the zone falls back; stops flapping."),
    spike_factor: z
      .number()
      .gt(1)
      .max(1000)
      .default(3)
      .describe("Growth of one turn over its running mean that counts as a spike."),
    forecast_turns: count(0, 1000)
      .default(2)
      .describe("Turns until red from which the forecast acts as orange; 0: never."),
    emergency: properShare()
      .default(0.95)
      .describe("Share of the window from which everything that may go goes, whatever it costs."),
  })
  .superRefine(({ thresholds, emergency }, context) => {
    if (thresholds !== "auto" && emergency < thresholds.red) {
      context.addIssue({
        code: "custom",
        path: ["emergency"],
        message: `must not be below pressure.thresholds.red (${thresholds.red})`,
      });
    }
  })
  .prefault({})
  .describe("When a window counts as full, and how its growth is forecast.");
