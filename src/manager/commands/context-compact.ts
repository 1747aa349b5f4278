import { z } from "zod";
import { compactNow } from "../manage.ts";
import { measure } from "../measure.ts";
import { appliedEdits } from "../reply.ts";
import { command, mutating, readingResult } from "./command.ts";

export const contextCompact = command({
  name: "context.compact",
  summary: "Compacts now, whatever the zone: down to the target, in one pass, without waiting for a model.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: true,
  params: z.strictObject({
    ...mutating,
    target_utilization: z
      .number()
      .gt(0)
      .lt(1)
      .optional()
      .describe("Share of the window to come down to; default: what a pass goes down to by the settings."),
  }),
  result: z.object({
    revision: z.number(),
    tokens_before: z.number(),
    tokens_after: z.number(),
    tokens_freed: z.number(),
    reason: z
      .string()
      .nullable()
      .describe("Why nothing was freed, as `below_target` or `no_candidates`; null when something was."),
    summarizer: z
      .enum(["none", "extractive", "llm"])
      .describe("Who summarised what was dropped; `llm`: a summary that was ready before."),
    applied: z.array(z.record(z.string(), z.unknown())).describe("The edits, as on_turn_start tells them."),
    reading: readingResult,
  }),
  decide(hook, params) {
    const before = measure(hook, "edit").reading.tokens;
    const reason = compactNow(hook, params.target_utilization ?? null);
    const { reading } = measure(hook, "edit");
    const pass = hook.events.findLast((event) => event.type === "history.compacted")?.data;
    return {
      revision: 0,
      tokens_before: before,
      tokens_after: reading.tokens,
      tokens_freed: Math.max(0, before - reading.tokens),
      reason,
      summarizer: pass?.summarizer ?? ("none" as const),
      applied: appliedEdits(hook.events) as unknown as Record<string, unknown>[],
      reading,
    };
  },
  complete: ({ session }, _params, stored) => ({ ...stored, revision: session.revision }),
});
