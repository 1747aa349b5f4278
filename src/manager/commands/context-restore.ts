import { z } from "zod";
import { bringBack } from "../bring-back.ts";
import { readPart, recallTarget, requireOneName } from "../lookup.ts";
import { measure } from "../measure.ts";
import { command, mutating, readingResult } from "./command.ts";

export const contextRestore = command({
  name: "context.restore",
  summary:
    "Brings evicted or shortened content back into the context and pins it: in its place where the block still stands " +
    "there, else as a message behind the others. It counts as a need.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: true,
  params: z.strictObject({
    ...mutating,
    block_id: z.string().max(64).optional(),
    handle: z.string().max(64).optional(),
  }),
  result: z.object({
    block_id: z.string().describe("The block that holds it now; another than was asked for unless `in_place`."),
    tokens_added: z.number().describe("Tokens that the context has more, as `reading` counts them."),
    in_place: z.boolean(),
    revision: z.number(),
    reading: readingResult,
  }),
  async prepare({ journal }, session, params) {
    requireOneName(params);
    const target = recallTarget(session, params);
    const callId =
      session.edits.get(target.blockId)?.callId ?? session.blocks.get(target.blockId)?.tool?.callId ?? null;
    return { target, original: await readPart(journal, target.hash, callId) };
  },
  decide(hook, params, { prepared: { target, original } }) {
    const path = params.handle === undefined ? "block_id" : "handle";
    const { blockId, tokensAdded, inPlace } = bringBack(hook, target, original, path);
    const { reading } = measure(hook, "edit");
    return { block_id: blockId, tokens_added: tokensAdded, in_place: inPlace, revision: 0, reading };
  },
  complete: ({ session }, _params, stored) => ({ ...stored, revision: session.revision }),
});
