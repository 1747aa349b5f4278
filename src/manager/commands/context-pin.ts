import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import { liveBlock } from "../lookup.ts";
import { carriedBlocks } from "../passes/carried.ts";
import type { Session } from "../session.ts";
import { command, mutating } from "./command.ts";

function pinning(name: "context.pin" | "context.unpin", summary: string, type: "block.pinned" | "block.unpinned") {
  return command({
    name,
    summary,
    scope: "agent",
    sharedWith: ["operator"],
    mutates: true,
    params: z.strictObject({ ...mutating, block_ids: z.array(z.string().max(64)).min(1).max(10_000) }),
    result: z.object({ block_ids: z.array(z.string()), pinned: z.boolean() }),
    decide(hook, params) {
      const blocks = params.block_ids.map((id, index) => liveBlock(hook.session, id, `block_ids[${index}]`));
      const pinned = type === "block.pinned";
      if (pinned) refuseCarried(hook.session, params.block_ids);
      for (const block of blocks) if (block.pinned !== pinned) hook.emit(type, { block_id: block.id });
      return { block_ids: blocks.map((block) => block.id), pinned };
    },
  });
}

export const contextPin = pinning("context.pin", "Protects blocks: they are never evicted or changed.", "block.pinned");
export const contextUnpin = pinning("context.unpin", "Takes the pin off blocks.", "block.unpinned");

/** What each pass writes anew takes no pin. */
const REWRITTEN: Readonly<Record<string, string>> = {
  "protected.ledger": "the ledger, which each pass writes anew. Pin the blocks that its lines come from.",
  "protected.summary": "the summary, which each pass writes anew. Pin the blocks that it tells of, or write a note.",
  "protected.standing":
    "the standing message, which passes write anew. What it says is kept by note.write and task.update.",
};

function refuseCarried(session: Session, blockIds: readonly string[]): void {
  const carried = carriedBlocks(session);
  const index = blockIds.findIndex((id) => REWRITTEN[carried.get(id) ?? ""] !== undefined);
  if (index < 0) return;
  const because = REWRITTEN[carried.get(blockIds[index] ?? "") ?? ""];
  throw new ContextdError("invalid_params", `Block ${blockIds[index]} is ${because}`, { path: `block_ids[${index}]` });
}
