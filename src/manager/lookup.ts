import type { Block, BlockType } from "../model/block.ts";
import { ContextdError } from "../model/errors.ts";
import type { Part } from "../model/part.ts";
import type { Journal } from "../store/journal.ts";
import { decodePart } from "./part-codec.ts";
import type { Session } from "./session.ts";

/** A block that is in the context now. */
export function liveBlock(session: Session, id: string, path: string): Block {
  const block = session.blocks.get(id);
  if (block) return block;
  const gone = session.edits.has(id);
  throw new ContextdError(
    "content_not_found",
    gone
      ? `Block ${id} has left the context: content.recall gives its content back.`
      : `This session has no block ${id.slice(0, 40)}: context.get lists them.`,
    { path },
  );
}

export interface RecallTarget {
  readonly blockId: string;
  readonly handle: string;
  readonly hash: string;
  /** Type of the block; `delegation_result` of what a child session answered. */
  readonly type: BlockType | "delegation_result";
  readonly toolName: string | null;
  readonly turn: number;
  readonly inContext: boolean;
  readonly tokens: number;
}

/** A content of a known block, as the part that it was. `callId`: that of the block, when it is a call or a result. */
export async function readPart(journal: Pick<Journal, "contents">, hash: string, callId: string | null): Promise<Part> {
  const stored = (await journal.contents([hash])).get(hash);
  if (stored === undefined) throw new Error(`content ${hash} of a known block is not in the store`);
  return decodePart(stored, callId);
}

/** Throws `invalid_params` unless one block is named, in one way. */
export function requireOneName(named: { handle?: string | undefined; block_id?: string | undefined }): void {
  if ((named.block_id === undefined) !== (named.handle === undefined)) return;
  throw new ContextdError("invalid_params", "Give either `block_id` or `handle`.", { path: "block_id" });
}

/** What a handle or a block id stands for, live or gone. */
export function recallTarget(
  session: Session,
  { handle, block_id }: { handle?: string | undefined; block_id?: string | undefined },
): RecallTarget {
  const edit = handle === undefined ? session.edits.get(block_id ?? "") : session.editByHandle.get(handle);
  if (edit) {
    const live = session.blocks.get(edit.blockId);
    return {
      blockId: edit.blockId,
      handle: edit.handle,
      hash: edit.hash,
      type: edit.type,
      toolName: edit.toolName,
      turn: edit.arrived,
      inContext: live?.state === "whole",
      tokens: live?.originalTokens ?? edit.tokensBefore,
    };
  }
  const block = handle === undefined ? session.blocks.get(block_id ?? "") : findByHandle(session, handle);
  const delegated = !block && handle !== undefined ? delegatedResult(session, handle) : null;
  if (delegated) return delegated;
  if (!block) {
    throw new ContextdError("content_not_found", "This session has no content under that handle, id or query.", {
      path: handle === undefined ? "block_id" : "handle",
    });
  }
  return {
    blockId: block.id,
    handle: block.handle,
    hash: block.hash,
    type: block.type,
    toolName: block.tool?.name ?? null,
    turn: block.turn,
    inContext: block.state === "whole",
    tokens: block.originalTokens,
  };
}

/** The result of a delegation, as the child gave it. */
function delegatedResult(session: Session, handle: string): RecallTarget | null {
  for (const [id, { result, closedTurn }] of Object.entries(session.delegations)) {
    if (result?.handle !== handle) continue;
    return {
      blockId: id,
      handle,
      hash: result.hash,
      type: "delegation_result",
      toolName: null,
      turn: closedTurn ?? 0,
      inContext: false,
      tokens: result.tokens,
    };
  }
  return null;
}

function findByHandle(session: Session, handle: string): Block | undefined {
  for (const block of session.blocks.values()) if (block.handle === handle) return block;
  return undefined;
}
