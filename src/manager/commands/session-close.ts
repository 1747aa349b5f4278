import { z } from "zod";
import { lifeMetrics } from "../../health/index.ts";
import { resolveAll } from "../alerts.ts";
import { saveCheckpoint } from "../windows/checkpoint.ts";
import { checkpointResult, reportCheckpoint } from "../windows/checkpoint-report.ts";
import { command, mutating, readingResult } from "./command.ts";

export const sessionClose = command({
  name: "session.close",
  summary: "Ends a session; its journal stays readable.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: true,
  params: z.strictObject({ ...mutating, reason: z.string().max(256).default("finished") }),
  result: z.object({
    session_id: z.string(),
    turns: z.number(),
    revision: z.number(),
    tokens_freed: z.number(),
    edits: z.number(),
    checkpoint: checkpointResult.describe("What the session knew at its end; checkpoint.load takes it into another."),
    reading: readingResult.nullable(),
    completion: z
      .object({
        turns: z.number(),
        worst_utilization: z.number(),
        utilization: z.number().nullable(),
        eviction_rate: z.number().nullable(),
        compression_ratio: z.number().nullable(),
        burn_rate: z.number().nullable(),
        fidelity: z.number().nullable(),
        tool_result_bloat: z.number().nullable(),
      })
      .describe("The health metrics over the life of the session; null where there was nothing to tell one from."),
  }),
  decide(hook, params) {
    const { session } = hook;
    resolveAll(hook);
    const checkpoint = reportCheckpoint(saveCheckpoint(hook, "close"));
    hook.emit("window.closed", { window_id: session.windowId, number: session.windowNumber, reason: params.reason });
    hook.emit("session.closed", { reason: params.reason, turns: session.turn, revision: session.revision });
    return {
      session_id: session.key.id,
      turns: session.turn,
      revision: session.revision,
      tokens_freed: session.tokensFreedTotal,
      edits: session.nextPass - 1,
      checkpoint,
      completion: lifeMetrics(session.health),
      reading: session.reading as z.infer<typeof readingResult> | null,
    };
  },
});
