import { z } from "zod";
import type { BlockType } from "../../model/block.ts";
import { ContextdError } from "../../model/errors.ts";
import { measureWithinTurn } from "../budgets.ts";
import { type Arrival, ingest } from "../ingest.ts";
import { checkOrder, requireAnswered } from "../order.ts";
import { command, mutating, readingResult, wireMessage } from "./command.ts";

export const contextAppend = command({
  name: "context.append",
  summary: "Adds messages outside the turn's hooks: a user's message, or memory that the runtime injects.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    messages: z.array(wireMessage).min(1).max(10_000).optional(),
    text: z
      .string()
      .regex(/\S/, "must hold more than white space")
      .optional()
      .describe("In place of messages: the text of one memory injection or note."),
    type: z
      .enum(["memory_injection", "note"])
      .default("memory_injection")
      .describe("Type of the block that `text` makes."),
    pin: z.boolean().default(false).describe("Never evict what is added."),
  }),
  result: z.object({ block_ids: z.array(z.string()), revision: z.number(), reading: readingResult }),
  arrivals(params, _session, format): Arrival[] {
    if ((params.messages === undefined) === (params.text === undefined)) {
      throw new ContextdError("invalid_params", "Give either `messages` or `text`.", { path: "messages" });
    }
    if (params.text !== undefined) {
      const type: BlockType = params.type;
      return [{ split: format.compose("user", params.text), path: "text", type, source: "contextd" }];
    }
    return (params.messages ?? []).map((message, index) => ({
      split: format.split(message, `messages[${index}]`),
      path: `messages[${index}]`,
    }));
  },
  decide(hook, params, { arrivals }) {
    requireAnswered(checkOrder(hook.session, arrivals, null));
    const first = hook.session.nextBlock;
    ingest(hook, arrivals);
    const blockIds = Array.from({ length: hook.session.nextBlock - first }, (_, index) => `b${first + index}`);
    if (params.pin) for (const blockId of blockIds) hook.emit("block.pinned", { block_id: blockId });
    return { block_ids: blockIds, revision: 0, reading: measureWithinTurn(hook).reading };
  },
  complete: ({ session }, _params, stored) => ({ ...stored, revision: session.revision }),
});
