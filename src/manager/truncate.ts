import { truncateHeadTail } from "../compression/index.ts";
import type { Block } from "../model/block.ts";
import { textOf } from "../model/part.ts";
import type { Hook } from "./hook.ts";

/**
 * Cuts a block to the head and the tail of its text; the original stays in the store behind the handle. Answers
 * false when that would save nothing.
 */
export function truncateBlock(
  hook: Hook,
  block: Block,
  limitTokens: number,
  passId: string | null,
  rule: string,
): boolean {
  const { session, services } = hook;
  const cut = truncateHeadTail(textOf(block.part), {
    limitTokens,
    count: (text) => services.countText(text),
    handle: session.canRecall ? block.handle : null,
  });
  const shorter = services.format.withText(block.part, cut.text);
  const tokens = services.countPart(shorter).tokens;
  if (tokens >= block.tokens) return false;
  hook.emit("block.truncated", {
    block_id: block.id,
    pass_id: passId,
    hash: hook.store(shorter),
    tokens_before: block.tokens,
    tokens_after: tokens,
    handle: block.handle,
    rule,
  });
  return true;
}
