import { z } from "zod";
import { COMPONENTS, componentOf, type ToolUse } from "../../model/block.ts";
import { type Part, textOf } from "../../model/part.ts";
import { blockTitle } from "../block-title.ts";
import { tokensToBringBack } from "../bring-back.ts";
import { readPart, recallTarget, requireOneName } from "../lookup.ts";
import type { Session } from "../session.ts";
import { command, sessionId } from "./command.ts";

export const contentGet = command({
  name: "content.get",
  summary:
    "For people who look: a block's original beside what stands in its place now. It tells nothing of a need and leaves " +
    "no trace; content.recall is the agent's call.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    block_id: z.string().max(64).optional(),
    handle: z.string().max(64).optional(),
  }),
  result: z.object({
    block_id: z.string(),
    handle: z.string(),
    type: z.string(),
    component: z.enum(COMPONENTS).nullable().describe("null: the result of a delegation, which is no block."),
    tool_name: z.string().nullable(),
    title: z.string().describe("One line for people."),
    turn: z.number().describe("Turn of arrival."),
    in_context: z.boolean().describe("Whether it stands in the context, in whatever form: `state` tells which."),
    state: z.string().describe("`evicted`: nothing of it stands there; `delegated`: the child session has it."),
    original: z.string(),
    original_tokens: z.number().describe("Uncalibrated, as are those of `current`."),
    current: z.string().nullable().describe("The text that stands in the context now; null: none does."),
    current_tokens: z.number(),
    closed: z.boolean().describe("Whether the session is closed, so that nothing comes back into its context."),
    restore_tokens: z
      .number()
      .nullable()
      .describe(
        "What context.restore would add, as the reading counts it; null: it is there as it came, or has no text to bring.",
      ),
  }),
  async prepare({ journal }, session, params) {
    requireOneName(params);
    const target = recallTarget(session, params);
    const { callId = null, type } = session.edits.get(target.blockId) ?? {};
    const callHash = type === "tool_result" && callId !== null ? hashOfCall(session, callId) : null;
    const original = await readPart(journal, target.hash, callId);
    return { target, original, call: callHash === null ? null : await readPart(journal, callHash, callId) };
  },
  decide(hook, _params, { prepared: { target, original, call } }) {
    const { session, services } = hook;
    const { blockId, handle, type, toolName, turn, tokens } = target;
    const live = session.blocks.get(blockId);
    const gone = type === "delegation_result" ? "delegated" : "evicted";
    return {
      block_id: blockId,
      handle,
      type,
      component: type === "delegation_result" ? null : componentOf(type),
      tool_name: toolName,
      title: blockTitle(original, live?.tool ?? (original.kind === "tool_call" ? null : toolOf(call, toolName))),
      turn,
      in_context: live !== undefined,
      state: live?.state ?? gone,
      original: textOf(original),
      original_tokens: live || type === "delegation_result" ? tokens : services.countPart(original).tokens,
      current: live ? textOf(live.part) : null,
      current_tokens: live?.tokens ?? 0,
      closed: session.closed,
      restore_tokens: tokensToBringBack(hook, target, original),
    };
  },
});

/** Content address of the call that a result answers, live or gone; null: it is not known. */
function hashOfCall({ blocks, units, unitOfCall, edits }: Session, callId: string): string | null {
  const live = units.get(unitOfCall.get(callId) ?? -1)?.blocks.find(({ part }) => isCall(part, callId));
  if (live) return live.hash;
  for (const edit of edits.values()) {
    if (edit.callId === callId && edit.type === "assistant_response" && !blocks.has(edit.blockId)) return edit.hash;
  }
  return null;
}

function isCall(part: Part, callId: string): boolean {
  return part.kind === "tool_call" && part.callId === callId;
}

function toolOf(call: Part | null, toolName: string | null): ToolUse | null {
  if (call?.kind === "tool_call") return { callId: "", name: call.name, argumentsText: call.argumentsText };
  return toolName === null || toolName === "" ? null : { callId: "", name: toolName, argumentsText: "{}" };
}
