import { z } from "zod";
import { properShare, share } from "./quantities.ts";

/** The shares are written by people in two digits: a rounding error in their sum is no mistake. */
const SUM_TOLERANCE = 0.001;

const allocations = z
  .strictObject({
    system_prompt: share().default(0.06).describe("Share of the window for the system prompt."),
    tool_definitions: share().default(0.04).describe("Share of the window for the tools' schemas."),
    message_history: share().default(0.65).describe("Share of the window for user and assistant messages."),
    tool_results: share().default(0.12).describe("Share of the window for tool results."),
    memory_injection: share().default(0.08).describe("Share of the window for injected memories and notes."),
    output_reserved: share().default(0.05).describe("Share of the window kept free for the model's answer."),
  })
  .superRefine((allocations, context) => {
    const sum = Object.values(allocations).reduce((total, part) => total + part, 0);
    if (sum <= 1 + SUM_TOLERANCE) return;
    context.addIssue({
      code: "custom",
      message: `must sum to 1 at most (what is left is free); they sum to ${Number(sum.toFixed(4))}`,
    });
  })
  .prefault({})
  .describe("Shares of the window by component; they sum to 1 at most.");

/** How the window is shared out. */
export const budget = z
  .strictObject({
    allocations,
    soft_limit_pct: properShare()
      .default(0.8)
      .describe("Share of a component's budget from which it is reported; the hard limit is the budget itself."),
    enforcement: z
      .enum(["global", "strict"])
      .default("global")
      .describe("`global`: tracked by component, acted on in total; `strict`: acted on by component."),
  })
  .prefault({})
  .describe("How the window is shared out.");
