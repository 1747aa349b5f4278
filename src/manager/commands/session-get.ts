import { z } from "zod";
import { delegationsResult, listDelegations } from "../delegation.ts";
import { limitsOf } from "../measure.ts";
import { planNext } from "../outlook.ts";
import { regretResult, reportRegret } from "../regret-report.ts";
import { summaryOf, summaryResult } from "../summary.ts";
import { command, sessionId } from "./command.ts";

export const sessionGet = command({
  name: "session.get",
  summary: "One session: labels, reading, thresholds, task, regret, and the edit that the next turn would make.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({ session_id: sessionId }),
  result: z.looseObject({
    ...summaryResult.shape,
    message_format: z.string(),
    task: z.unknown(),
    output_reserve: z.number(),
    settings: z.record(z.string(), z.unknown()),
    regret: regretResult,
    delegations: delegationsResult,
    next: z
      .unknown()
      .describe(
        "The pass planned for the next turn, if it grows like the last ones: `turn`, figures, and the first of the blocks " +
          "that it takes. null when none is due.",
      ),
  }),
  decide(hook) {
    const { session, services } = hook;
    return {
      ...summaryOf(session, services),
      message_format: session.format,
      task: session.task,
      output_reserve: limitsOf(session, services).reserve,
      settings: session.ownSettings,
      regret: reportRegret(session),
      delegations: listDelegations(session),
      next: planNext(hook),
    };
  },
});
