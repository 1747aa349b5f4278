import { z } from "zod";
import type { Json } from "../../model/json.ts";
import { activeAlerts } from "../alerts.ts";
import { checkOf, measureWithinTurn } from "../budgets.ts";
import { type Arrival, ingestResult } from "../ingest.ts";
import { checkOrder } from "../order.ts";
import { resultContent } from "../reply.ts";
import { budgetCheckResult } from "./budget-check.ts";
import { alertsResult, command, json, mutating, readingResult } from "./command.ts";

export const onToolResult = command({
  name: "on_tool_result",
  summary: "A tool has answered: what to put into the context for it, cut when it would not fit.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    tool_call_id: z.string().min(1).max(512),
    tool_name: z.string().min(1).max(512),
    content: json.describe("The result: text, or the content parts of the session's message format."),
    is_error: z.boolean().optional(),
  }),
  result: z.object({
    block_id: z.string(),
    content: json.describe("What stands in the context: put this into the message."),
    action: z.enum(["kept", "truncated", "summarized", "offloaded"]),
    tokens_before: z.number(),
    tokens_after: z.number(),
    handle: z.string().optional(),
    reading: readingResult,
    budget_check: budgetCheckResult,
    alerts: alertsResult,
  }),
  arrivals: (params, _session, format) => [
    {
      split: format.toolResult(
        params.tool_call_id,
        params.tool_name,
        params.content,
        params.is_error ?? false,
        "content",
      ),
      path: "tool_call_id",
    },
  ],
  decide(hook, _params, { arrivals }) {
    const { session } = hook;
    checkOrder(session, arrivals, ["tool", "user"]);
    const blockId = ingestResult(hook, arrivals[0] as Arrival);
    const block = session.blocks.get(blockId);
    if (!block) throw new Error(`block ${blockId} is not in the context right after it was added`);
    const { reading, budget } = measureWithinTurn(hook);
    const { state } = block;
    const action = state === "truncated" || state === "summarized" ? state : ("kept" as const);
    return {
      block_id: blockId,
      content: null as Json,
      action,
      tokens_before: block.originalTokens,
      tokens_after: block.tokens,
      ...(action !== "kept" ? { handle: block.handle } : {}),
      reading,
      budget_check: checkOf(budget, "tool_results"),
      alerts: activeAlerts(session),
    };
  },
  complete({ session }, _params, stored) {
    const block = session.blocks.get(stored.block_id);
    return block ? { ...stored, content: resultContent(block.part) } : stored;
  },
});
