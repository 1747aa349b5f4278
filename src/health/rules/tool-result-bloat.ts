import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import { type HealthRule, held, levelAbove, percent } from "../rule.ts";

/** Share of the context by which the figure must be better again. */
const SLACK = 0.05;

export const toolResultBloat = strategy(
  "Tool results take much of a context that is short of room.",
  z.strictObject({
    tool_bloat_warning: z.number().min(0).max(1).default(0.3).describe("Share of the context that is tool results."),
    ...held(3),
  }),
  (options): HealthRule => ({
    name: "tool_result_bloat",
    alert: "ToolResultBloat",
    severity: "warning",
    metric: "tool_result_bloat",
    raiseAfter: options.raise_after,
    resolveAfter: options.resolve_after,
    judge({ turn }) {
      const { tool_result_bloat: share, zone } = turn;
      // A window with room is there to be filled, and what an agent reads is mostly what its tools tell.
      const hasRoom = zone === "green" || zone === "yellow";
      return {
        level: hasRoom ? "good" : levelAbove(share, options.tool_bloat_warning, SLACK),
        summary: `Tool results are ${percent(share)} of a context in zone ${zone}; the limit is ${percent(options.tool_bloat_warning)} where room is short.`,
      };
    },
  }),
);
