import { z } from "zod";
import { blockStanding, standingsOf } from "../block-standings.ts";
import { budgetReport } from "../budgets.ts";
import { limitsOf } from "../measure.ts";
import { messageIds, render } from "../reply.ts";
import { TOOLS_MESSAGE_ID } from "../session.ts";
import { command, json, readingResult, sessionId, wireMessage } from "./command.ts";

export const contextGet = command({
  name: "context.get",
  summary: "The managed context now: used, free and reserved tokens by component, block by block, and the messages.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    include: z
      .array(z.enum(["blocks", "messages", "scores"]))
      .default(["blocks"])
      .describe(
        "blocks: id, type, tokens, state of each; scores: with them what each is worth to the policy, and which go " +
          "next (costs what planning a pass costs); messages: the context as the provider gets it.",
      ),
  }),
  result: z.object({
    turn: z.number(),
    revision: z.number(),
    window_id: z.string(),
    reading: readingResult.nullable(),
    composition: z.object({
      used_tokens: z.number(),
      free_tokens: z.number(),
      buffer_tokens: z.number().describe("Held back for the model's answer."),
      components: z.record(z.string(), z.unknown()),
    }),
    raw_tokens: z.number().describe("Our count before calibration and anchoring."),
    blocks: z
      .array(
        z.object({
          block_id: z.string(),
          message_id: z.string(),
          unit_id: z.number(),
          type: z.string(),
          tool_name: z.string().nullable(),
          turn: z.number(),
          tokens: z.number(),
          original_tokens: z.number(),
          state: z.string(),
          pinned: z.boolean(),
          approximate: z.boolean(),
          handle: z.string(),
          reference_count: z.number(),
          last_referenced_turn: z.number().nullable(),
          ...blockStanding.partial().shape,
        }),
      )
      .optional(),
    message_ids: z.array(z.string()).optional(),
    system: json.optional(),
    messages: z.array(wireMessage).optional(),
  }),
  decide(hook, params) {
    const { session, services } = hook;
    const { reserve } = limitsOf(session, services);
    const used = session.reading?.tokens ?? session.rawTokens;
    const blocks = [...session.tools, ...session.messages.flatMap((message) => message.blocks)];
    const scored = params.include.includes("scores");
    const standings = scored ? standingsOf(hook) : null;
    return {
      turn: session.turn,
      revision: session.revision,
      window_id: session.windowId,
      reading: session.reading as z.infer<typeof readingResult> | null,
      composition: {
        used_tokens: used,
        free_tokens: Math.max(0, session.maxTokens - used - reserve),
        buffer_tokens: reserve,
        components: budgetReport(hook),
      },
      raw_tokens: session.rawTokens,
      ...(scored || params.include.includes("blocks")
        ? {
            blocks: blocks.map((block) => ({
              block_id: block.id,
              message_id: block.messageId === TOOLS_MESSAGE_ID ? TOOLS_MESSAGE_ID : block.messageId,
              unit_id: block.unitId,
              type: block.type,
              tool_name: block.tool?.name ?? null,
              turn: block.turn,
              tokens: block.tokens,
              original_tokens: block.originalTokens,
              state: block.state,
              pinned: block.pinned,
              approximate: block.approximate,
              handle: block.handle,
              reference_count: block.referenceCount,
              last_referenced_turn: block.lastReferencedTurn,
              ...standings?.get(block.id),
            })),
          }
        : {}),
      ...(params.include.includes("messages")
        ? { message_ids: messageIds(session, services), ...render(session, services) }
        : {}),
    };
  },
});
