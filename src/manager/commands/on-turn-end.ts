import { z } from "zod";
import { promptOverhead, promptTokens } from "../../tokens/index.ts";
import { measureWithinTurn } from "../budgets.ts";
import { ingest } from "../ingest.ts";
import { anchorUsage } from "../measure.ts";
import { checkOrder } from "../order.ts";
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
  }),
  result: z.object({ turn: z.number(), revision: z.number(), reading: readingResult, alerts: alertsResult }),
  arrivals: (params, _session, format) => [{ split: format.split(params.message, "message"), path: "message" }],
  decide(hook, params, { arrivals }) {
    const { session } = hook;
    checkOrder(session, arrivals, ["assistant"]);
    const estimated = session.rawTokens;
    ingest(hook, arrivals);
    if (params.usage) anchorUsage(hook, params.usage, estimated);
    hook.emit("turn.ended", {
      turn: session.turn,
      stop_reason: params.stop_reason ?? null,
      input_tokens: params.usage?.input_tokens ?? null,
      output_tokens: params.usage?.output_tokens ?? null,
      cache_read_input_tokens: params.usage?.cache_read_input_tokens ?? null,
      cache_creation_input_tokens: params.usage?.cache_creation_input_tokens ?? null,
      prompt_tokens: params.usage ? promptTokens(session.format, params.usage) : null,
      estimated_tokens: estimated + promptOverhead(session.format, session.tools.length > 0),
    });
    const { reading } = measureWithinTurn(hook);
    return { turn: session.turn, revision: 0, reading, alerts: [] };
  },
  complete: ({ session }, _params, stored) => ({ ...stored, revision: session.revision }),
});
