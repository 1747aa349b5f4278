import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import { textOf } from "../../model/part.ts";
import type { Journal } from "../../store/journal.ts";
import { type RecallTarget, readPart, recallTarget } from "../lookup.ts";
import { searchContents } from "../search.ts";
import type { Session } from "../session.ts";
import { tellRecall } from "../tell-regrets.ts";
import { command, mutating } from "./command.ts";

export const contentRecall = command({
  name: "content.recall",
  summary:
    "The agent's call: gives back the original of evicted or cut content, by handle, block id, or the best match of a " +
    "query. It counts as a need; content.get is for people who look.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: true,
  params: z.strictObject({
    ...mutating,
    handle: z.string().max(64).optional(),
    block_id: z.string().max(64).optional(),
    query: z.string().min(1).max(1000).optional(),
  }),
  result: z.object({
    handle: z.string(),
    block_id: z.string(),
    type: z.string(),
    tool_name: z.string().nullable(),
    turn: z.number(),
    in_context: z.boolean(),
    content: z.string(),
    tokens: z.number(),
  }),
  async prepare({ journal }, session, params) {
    const named = [params.handle, params.block_id, params.query].filter((value) => value !== undefined);
    if (named.length !== 1) {
      throw new ContextdError("invalid_params", "Give exactly one of `handle`, `block_id` or `query`.", {
        path: "handle",
      });
    }
    const target =
      params.query === undefined ? recallTarget(session, params) : await bestMatch(journal, session, params.query);
    return { target, text: textOf(await readPart(journal, target.hash, null)) };
  },
  decide(hook, _params, { prepared: { target, text } }) {
    hook.emit("recall.served", { handle: target.handle, block_id: target.blockId, bytes: Buffer.byteLength(text) });
    tellRecall(hook, target.blockId);
    return {
      handle: target.handle,
      block_id: target.blockId,
      type: target.type,
      tool_name: target.toolName,
      turn: target.turn,
      in_context: target.inContext,
      content: text,
      tokens: target.tokens,
    };
  },
});

async function bestMatch(journal: Pick<Journal, "contents">, session: Session, query: string): Promise<RecallTarget> {
  const [match] = await searchContents(journal, session, query, 1);
  if (match) return recallTarget(session, { block_id: match.block_id });
  throw new ContextdError("content_not_found", "No content of this session holds that phrase.", { path: "query" });
}
