import { z } from "zod";
import type { Json, JsonObject } from "../../model/json.ts";
import { json, wireMessage } from "../commands/command.ts";
import type { Services } from "../hook.ts";
import { render } from "../reply.ts";
import { pendingUnit, type Session } from "../session.ts";
import { bootstrapPrompt } from "./bootstrap.ts";
import { lastCheckpoint } from "./checkpoint.ts";
import { checkpointResult, reportCheckpoint } from "./checkpoint-report.ts";

export const bootstrapResult = z.object({
  prompt: z.string().describe("What is known of the task, and what to verify first, as text."),
  system: json.optional().describe("The system prompt, where the message format has it beside the messages."),
  messages: z
    .array(wireMessage)
    .describe(
      "The context as it stands, with the prompt as the user's last message unless it ends with the bootstrap already: valid for the model as it is.",
    ),
  checkpoint: checkpointResult.nullable().describe("The newest checkpoint; null: none was saved."),
  pending_calls: z
    .array(z.object({ tool_call_id: z.string(), tool_name: z.string() }))
    .describe("Tool calls without a result: not among the messages. Give theirs by on_tool_result if you have them."),
});
export type Bootstrap = z.infer<typeof bootstrapResult>;

/** What an agent goes on with: in this process or another, in the session's message format. */
export function bootstrapOf(session: Session, services: Services): Bootstrap {
  const prompt = bootstrapPrompt(session, services);
  const pending = pendingUnit(session);
  const last = lastCheckpoint(session);
  const { system, messages } = renderWith(session, services, pending?.id ?? null, prompt);
  return {
    prompt,
    ...(system === undefined ? {} : { system }),
    messages,
    checkpoint: last === undefined ? null : reportCheckpoint(last),
    pending_calls: [...(pending?.blocks ?? [])].flatMap(({ part }) =>
      part.kind === "tool_call" && pending?.pendingCalls.has(part.callId)
        ? [{ tool_call_id: part.callId, tool_name: part.name }]
        : [],
    ),
  };
}

/** The context without the step that waits for results, and with the prompt at its end where it does not end with it. */
function renderWith(
  session: Session,
  services: Services,
  pendingUnit: number | null,
  prompt: string,
): { system?: Json; messages: JsonObject[] } {
  const whole = session.messages.filter(({ blocks }) => blocks.every((block) => block.unitId !== pendingUnit));
  const endsWithIt = whole.findLast(({ gone }) => !gone)?.id === session.standing;
  return render({ messages: whole }, services, endsWithIt ? [] : [services.format.compose("user", prompt)]);
}
