import { z } from "zod";
import type { Json } from "../../model/json.ts";
import { promptOverhead, promptTokens } from "../../tokens/index.ts";
import { activeAlerts } from "../alerts.ts";
import { measureWithinTurn } from "../budgets.ts";
import { ingest } from "../ingest.ts";
import { anchorUsage } from "../measure.ts";
import { checkOrder } from "../order.ts";
import { tellAnswerCut } from "../overflow/answer-cut.ts";
import { tellReportedEdits } from "../provider-edits.ts";
import { alertsResult, command, mutating, readingResult, wireMessage } from "./command.ts";

const count = z.number().int().min(0);

export const onTurnEnd = command({
  name: "on_turn_end",
  summary: "The model has answered: the assistant message enters the context, reported usage anchors the count.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    message: wireMessage.describe("The assistant message, in the session's message format."),
    usage: z
      .strictObject({
        input_tokens: count.describe(
          "Prompt tokens of the call, cached ones not included (Anthropic) or included (OpenAI).",
        ),
        output_tokens: count.optional(),
        cache_read_input_tokens: count.optional(),
        cache_creation_input_tokens: count.optional(),
        reasoning_tokens: count.optional(),
      })
      .optional()
      .describe("What the provider reported for this call alone, never cumulative."),
    stop_reason: z.string().max(128).optional(),
    context_management: z
      .looseObject({ applied_edits: z.array(z.looseObject({ type: z.string().max(128) })).max(100) })
      .nullable()
      .optional()
      .describe("What the provider reports to have cleared by itself, as it came: `applied_edits` with their figures."),
  }),
  result: z.object({ turn: z.number(), revision: z.number(), reading: readingResult, alerts: alertsResult }),
  arrivals: (params, _session, format) => [{ split: format.split(params.message, "message"), path: "message" }],
  decide(hook, params, { arrivals }) {
    const { session } = hook;
    checkOrder(session, arrivals, ["assistant"]);
    const estimated = session.rawTokens;
    ingest(hook, arrivals);
    const compacted = hook.events.find((event) => event.type === "provider.edited")?.data.cleared_input_tokens ?? null;
    const cleared = tellReportedEdits(hook, params.context_management as Json | undefined);
    // A call that ended with the provider's compaction reports no prompt of its own.
    const usage = params.stop_reason === "compaction" ? undefined : params.usage;
    if (usage) anchorUsage(hook, usage, estimated - (compacted ?? 0));
    hook.emit("turn.ended", {
      turn: session.turn,
      stop_reason: params.stop_reason ?? null,
      input_tokens: params.usage?.input_tokens ?? null,
      output_tokens: params.usage?.output_tokens ?? null,
      cache_read_input_tokens: params.usage?.cache_read_input_tokens ?? null,
      cache_creation_input_tokens: params.usage?.cache_creation_input_tokens ?? null,
      // The provider's summary was written on the way: what it counted is not what was estimated.
      prompt_tokens: usage && compacted === null ? promptTokens(session.format, usage) : null,
      estimated_tokens: Math.max(0, estimated - cleared) + promptOverhead(session.format, session.tools.length > 0),
    });
    tellAnswerCut(hook, params.stop_reason ?? null, usage ?? null);
    const { reading } = measureWithinTurn(hook);
    return { turn: session.turn, revision: 0, reading, alerts: activeAlerts(session) };
  },
  complete: ({ session }, _params, stored) => ({ ...stored, revision: session.revision }),
});
