import type { Block } from "../../model/block.ts";
import { handleOf } from "../../model/block.ts";
import type { CoreEvent, EventData, EventType } from "../../model/events.ts";
import { snapshotOutline } from "../snapshot.ts";

/** A block as the outline knows it: everything of a block but its content and what its use taught. */
export type OutlinedBlock = Pick<
  Block,
  | "id"
  | "messageId"
  | "type"
  | "turn"
  | "tool"
  | "hash"
  | "handle"
  | "originalTokens"
  | "partHash"
  | "tokens"
  | "state"
  | "generation"
>;

interface OutlinedMessage {
  readonly id: string;
  readonly blocks: OutlinedBlock[];
  gone: boolean;
}

type Change<T extends EventType> = (outline: ContextOutline, data: EventData[T]) => void;

/**
 * Which blocks the context holds, in the order of the prompt, without their contents: a fold over a session's events
 * that costs what the live blocks are, so that a long past can be gone through. It agrees with the session's own fold
 * (manager/folds), but for results that came in as placeholders, which only their content tells: they are `whole` here.
 */
export class ContextOutline {
  /** A message that is gone keeps its place until the list is swept: another may be put behind it until then. */
  #messages: OutlinedMessage[] = [];
  readonly #byId = new Map<string, OutlinedMessage>();
  readonly #blocks = new Map<string, OutlinedBlock>();
  readonly #tools: OutlinedBlock[] = [];
  /** The message that holds the summary. */
  #summary: string | null = null;

  /** The context as a snapshot has it. */
  static ofSnapshot(body: string): ContextOutline {
    const outline = new ContextOutline();
    const { plain, messages, blocks } = snapshotOutline(body);
    outline.#summary = plain.summary?.messageId ?? null;
    for (const { id, gone } of messages) outline.#addMessage({ id, blocks: [], gone }, undefined);
    for (const {
      pinned: _1,
      unitId: _2,
      approximate: _3,
      lastReferencedTurn: _4,
      referenceCount: _5,
      ...block
    } of blocks) {
      outline.#addBlock(block);
    }
    return outline;
  }

  /** The blocks as they stand now, tool definitions first: copies. */
  list(): OutlinedBlock[] {
    return [...this.#tools, ...this.#messages.flatMap(({ blocks }) => blocks)].map((block) => ({ ...block }));
  }

  apply(event: CoreEvent): void {
    const change = CHANGES[event.type] as Change<EventType> | undefined;
    change?.(this, event.data);
  }

  addMessage({ message_id: id, after }: EventData["message.added"]): void {
    this.#addMessage({ id, blocks: [], gone: false }, after);
  }

  addBlock(data: EventData["block.added"]): void {
    const { block_id: id, message_id: messageId, type, turn, tool, hash, tokens } = data;
    const stands = { partHash: hash, tokens, state: "whole", generation: 0 } as const;
    this.#addBlock({
      id,
      messageId,
      type,
      turn,
      tool,
      hash,
      handle: handleOf(hash),
      originalTokens: tokens,
      ...stands,
    });
  }

  /** Puts other content in a block's place. */
  replace(blockId: string, partHash: string, tokens: number, state: Block["state"]): void {
    const block = this.#blocks.get(blockId);
    if (!block) throw new Error(`event names block ${blockId}, which is not in the context`);
    const generation = block.generation + (state === "truncated" ? 0 : 1);
    Object.assign(block, { partHash, tokens, state, generation });
  }

  /** Puts back what a block held when it came. */
  restore(blockId: string, hash: string, tokens: number): void {
    this.replace(blockId, hash, tokens, "whole");
    Object.assign(this.#blocks.get(blockId) as OutlinedBlock, { generation: 0 });
  }

  removeBlock(blockId: string): void {
    const block = this.#blocks.get(blockId);
    if (!block) return;
    this.#blocks.delete(blockId);
    const message = this.#byId.get(block.messageId);
    if (!message) return;
    message.blocks.splice(message.blocks.indexOf(block), 1);
    if (message.blocks.length === 0) this.#discard(message);
  }

  removeMessage(id: string | null): void {
    const message = this.#byId.get(id ?? "");
    if (!message) return;
    for (const block of [...message.blocks]) this.removeBlock(block.id);
    this.#discard(message);
  }

  /** Another message holds the summary, or none. */
  replaceSummary(id: string | null): void {
    this.removeMessage(this.#summary);
    this.#summary = id;
  }

  /** Takes the messages that are gone out of the list. */
  sweep(): void {
    this.#messages = this.#messages.filter(({ gone }) => !gone);
  }

  #discard(message: OutlinedMessage): void {
    message.gone = true;
    this.#byId.delete(message.id);
  }

  #addMessage(message: OutlinedMessage, after: string | null | undefined): void {
    if (!message.gone) this.#byId.set(message.id, message);
    if (after === undefined) this.#messages.push(message);
    else this.#messages.splice(this.#messages.findIndex(({ id }) => id === after) + 1, 0, message);
  }

  #addBlock(block: OutlinedBlock): void {
    this.#blocks.set(block.id, block);
    // Tool definitions are blocks of no message.
    (this.#byId.get(block.messageId)?.blocks ?? this.#tools).push(block);
  }
}

const CHANGES: { readonly [T in EventType]?: Change<T> } = {
  "message.added": (outline, data) => outline.addMessage(data),
  "block.added": (outline, data) => outline.addBlock(data),
  "block.truncated": (outline, { block_id, hash, tokens_after }) =>
    outline.replace(block_id, hash, tokens_after, "truncated"),
  "block.summarized": (outline, { block_id, hash, tokens_after }) =>
    outline.replace(block_id, hash, tokens_after, "summarized"),
  "block.merged": (outline, { block_id, replacement_hash, tokens_after }) =>
    outline.replace(block_id, replacement_hash, tokens_after, "merged"),
  "block.evicted": (outline, { block_id, replacement_hash, tokens_after, state }) => {
    if (replacement_hash === null) outline.removeBlock(block_id);
    else outline.replace(block_id, replacement_hash, tokens_after, state);
  },
  "block.restored": (outline, { block_id, into_block_id, hash, tokens_after }) => {
    if (block_id === into_block_id) outline.restore(block_id, hash, tokens_after);
  },
  "message.removed": (outline, { message_id }) => outline.removeMessage(message_id),
  "ledger.rebuilt": (outline, { removed_message_ids }) => {
    for (const id of removed_message_ids) outline.removeMessage(id);
  },
  "summary.rewritten": (outline, { message_id }) => outline.replaceSummary(message_id),
  "checkpoint.restored": (outline) => outline.replaceSummary(null),
  "standing.rewritten": (outline, { removed_message_id }) => outline.removeMessage(removed_message_id),
  "history.compacted": (outline) => outline.sweep(),
  "provider.edited": (outline) => outline.sweep(),
  "history.diverged": (outline) => outline.sweep(),
};
