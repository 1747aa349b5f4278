import type { CompressionEdit } from "../../compression/index.ts";
import type { PlannedEdit } from "../../eviction/index.ts";
import type { Block } from "../../model/block.ts";
import type { Hook } from "../hook.ts";

/** An edit of a pass: any method's, with what eviction's policy says of it where it comes from there. */
export type PassEdit = CompressionEdit &
  Partial<Pick<PlannedEdit, "score" | "scoreParts" | "intoBlockId" | "similarity">>;

/** Who chose an edit that no eviction policy chose. */
const CASCADE = "cascade";

/** Turns one planned edit into events, block by block. */
export function applyEdit(hook: Hook, passId: string, edit: PassEdit): void {
  for (const blockId of edit.blockIds) {
    const block = hook.session.blocks.get(blockId);
    if (!block) throw new Error(`planned edit names block ${blockId}, which is not in the context`);
    if (edit.method === "merge") mergeBlock(hook, passId, edit, block);
    else if (edit.method === "summarize") summariseBlock(hook, block, edit.replacementText ?? "", edit.rule, passId);
    else if (edit.method === "truncate") truncateBlock(hook, block, edit.replacementText ?? "", edit.rule, passId);
    else evictBlock(hook, passId, edit, block);
  }
}

/** Puts a shorter text in the place of a block's; the original stays in the store behind the handle. */
export function truncateBlock(hook: Hook, block: Block, text: string, rule: string, passId: string | null): void {
  const stands = replacement(hook, block, text);
  hook.emit("block.truncated", {
    block_id: block.id,
    pass_id: passId,
    hash: stands.hash,
    tokens_before: block.tokens,
    tokens_after: stands.tokens,
    handle: block.handle,
    rule,
  });
}

/**
 * Puts what matters of a block's text in its place; the original stays in the store behind the handle. The method is the
 * part of the rule before its first point.
 */
export function summariseBlock(hook: Hook, block: Block, text: string, rule: string, passId: string | null): void {
  const stands = replacement(hook, block, text);
  hook.emit("block.summarized", {
    block_id: block.id,
    block_type: block.type,
    tool_name: block.tool?.name ?? null,
    pass_id: passId,
    method: rule.split(".", 1)[0] ?? rule,
    rule,
    hash: stands.hash,
    tokens_before: block.tokens,
    tokens_after: stands.tokens,
    tokens_freed: block.tokens - stands.tokens,
    handle: block.handle,
    generation: block.generation + 1,
    turn: hook.session.turn,
  });
}

/** Files the block's replacement as content; answers its address and tokens. */
function replacement(hook: Hook, block: Block, text: string): { hash: string; tokens: number } {
  const part = hook.services.format.withText(block.part, text);
  return { hash: hook.store(part), tokens: hook.services.countPart(part).tokens };
}

function evictBlock(hook: Hook, passId: string, edit: PassEdit, block: Block): void {
  const stands = edit.replacementText === null ? null : replacement(hook, block, edit.replacementText);
  const after = stands?.tokens ?? 0;
  hook.emit("block.evicted", {
    block_id: block.id,
    unit_id: block.unitId,
    pass_id: passId,
    block_type: block.type,
    tool_name: block.tool?.name ?? null,
    method: edit.method,
    policy: edit.score === undefined ? CASCADE : hook.services.scorer.name,
    score: edit.score ?? 0,
    score_parts: { ...edit.scoreParts },
    rule: edit.rule,
    tokens_before: block.tokens,
    tokens_after: after,
    tokens_freed: block.tokens - after,
    handle: block.handle,
    replacement_hash: stands?.hash ?? null,
    state: "cleared",
    turn: hook.session.turn,
  });
}

function mergeBlock(hook: Hook, passId: string, edit: PassEdit, block: Block): void {
  const stands = replacement(hook, block, edit.replacementText ?? "");
  hook.emit("block.merged", {
    block_id: block.id,
    into_block_id: edit.intoBlockId ?? "",
    pass_id: passId,
    policy: hook.services.scorer.name,
    score: edit.score ?? 0,
    rule: edit.rule,
    similarity: edit.similarity ?? 0,
    tokens_before: block.tokens,
    tokens_after: stands.tokens,
    tokens_freed: block.tokens - stands.tokens,
    handle: block.handle,
    replacement_hash: stands.hash,
    turn: hook.session.turn,
  });
}
