import { SimilarityIndex, SupersededIndex } from "../eviction/index.ts";
import type { Book } from "../ledger/index.ts";
import { isClearedResult } from "../messages/index.ts";
import type { Block } from "../model/block.ts";
import type { CoreEvent } from "../model/events.ts";
import { type Part, textOf } from "../model/part.ts";
import { ReferenceIndex } from "../references/index.ts";
import { BookKeeper } from "./book-keeper.ts";
import { broughtBackIn } from "./live-context.ts";
import { RegretWatch } from "./regret-watch.ts";
import type { Session } from "./session.ts";

interface Indexes {
  readonly references: ReferenceIndex;
  readonly similarity: SimilarityIndex;
  readonly superseded: SupersededIndex;
  readonly keeper: BookKeeper;
}

/** Contents as they came of blocks that the context shows otherwise or not at all, by block id. */
export type Originals = Map<string, Part>;

/** Rule of edits that the agent made itself: what it took out of its history is not carried over. */
export const WITHDRAWN = "history.diverged";
/** Rule of what the provider no longer reads, having summarised it itself: its summary stands for it. */
export const PROVIDER_COMPACTED = "provider.compacted";

/** Characters of a cut result of which the original is read, too: more is data. */
const MOST_READ = 1 << 20;

/**
 * The derived indexes of one session: identifiers, near-duplicates, superseded results, and how often each block was
 * referenced. They are never journalled: they follow from the events, which `before` and `after` are told. New blocks
 * wait until they are read: between calls, a slice at a time, once the session is near to being edited, and all that
 * is left before anything is edited or leaves, so that neither decisions nor counts depend on the timing.
 */
export class Analysis {
  /** What lately left the context. Small, and kept at rest. */
  readonly regret: RegretWatch;
  readonly #session: Session;
  /** Made when the first block is read: they weigh more than the rest of a small session. */
  #indexes: Indexes | null = null;
  /** Blocks to be read, from `#next` on; null: all live ones. */
  #waiting: string[] | null = null;
  #next = 0;
  readonly #originals: Originals;
  /** Blocks that an edit took out and that the indexes still hold. */
  readonly #gone: string[] = [];
  /** Number of the last block that the book has read, where the other indexes are made anew. */
  #bookedThrough = 0;
  /** Recalls that the book has been told of. */
  #recallsTold = 0;

  constructor(session: Session, originals: Originals = new Map()) {
    this.#session = session;
    this.#originals = originals;
    this.regret = new RegretWatch(session);
  }

  get references(): ReferenceIndex {
    this.#forgetGone();
    return this.#made().references;
  }

  get similarity(): SimilarityIndex {
    this.#forgetGone();
    return this.#made().similarity;
  }

  get superseded(): SupersededIndex {
    this.#forgetGone();
    return this.#made().superseded;
  }

  /** Lines and values of all that the session has held. */
  get book(): Book {
    return this.#made().keeper.book;
  }

  /** To be called before an event is applied: what it edits or removes is read first. */
  before(event: CoreEvent): void {
    const taken = takenBlock(event);
    if (event.type === "block.restored") {
      this.readBlocks();
      this.#forgetGone();
      this.regret.returning(event.data.block_id);
    } else if (taken !== null) {
      this.readBlocks();
      const held = this.#session.broughtBack[taken];
      if (held !== undefined) this.#indexes?.keeper.shows(held, null);
      this.regret.leaving(taken, this.#made().references);
    } else if (event.type === "message.removed") {
      this.readBlocks();
      for (const block of this.#session.messageById.get(event.data.message_id)?.blocks ?? []) {
        this.#forget(block.id);
        this.#indexes?.keeper.withdraw(block.id);
      }
    } else if (isShortening(event)) {
      const block = this.#session.blocks.get(event.data.block_id);
      if (block && textOf(block.part).length <= MOST_READ) this.#originals.set(block.id, block.part);
    } else {
      for (const id of withdrawnMessages(event)) {
        for (const block of this.#session.messageById.get(id)?.blocks ?? []) this.#indexes?.references.remove(block.id);
      }
    }
  }

  /** To be called after an event was applied. */
  after(event: CoreEvent): void {
    this.regret.after(event);
    if (event.type === "block.restored") this.#restored(event.data.block_id, event.data.into_block_id);
    else if (event.type === "block.added") this.#waiting?.push(event.data.block_id);
    else if (event.type === "block.evicted" || event.type === "block.merged") {
      this.#gone.push(event.data.block_id);
      this.#indexes?.keeper.shows(event.data.block_id, this.#session.blocks.get(event.data.block_id)?.part ?? null);
    } else if (isShortening(event) && event.data.pass_id !== null) {
      // What was cut away is no longer found here; likeness and order stay those of the original.
      const block = this.#session.blocks.get(event.data.block_id);
      if (block) this.#made().references.add(block.id, textOf(block.part));
      if (block) this.#made().keeper.shows(block.id, block.part);
    }
  }

  /**
   * The content of a block is back. Likeness and what supersedes what go by the order of the context, so where a block
   * has its content again in its place these indexes are made anew of the live blocks, which wait to be read as after a
   * restart; the book keeps what it knows.
   */
  #restored(blockId: string, holderId: string): void {
    const { keeper } = this.#made();
    const original = this.#backAgain(blockId);
    if (original) keeper.showsAgain(blockId, original);
    if (blockId !== holderId) return;
    this.#session.analysedThrough = this.countedThrough;
    this.#bookedThrough = this.#session.nextBlock - 1;
    this.#indexes = this.#newIndexes(keeper);
    this.#waiting = null;
    this.#next = 0;
  }

  /** The original of a block that the context shows again, in its place or brought back; undefined: it does not. */
  #backAgain(blockId: string): Part | undefined {
    const block = this.#session.blocks.get(blockId);
    if (block) return block.partHash === block.hash ? block.part : undefined;
    const holder = broughtBackIn(this.#session, blockId);
    return holder?.part;
  }

  get waiting(): number {
    const blocks = this.#waiting === null ? this.#session.nextBlock - 1 : this.#waiting.length - this.#next;
    return this.#gone.length + blocks + this.regret.index.waiting;
  }

  /** Number of the last block whose references were counted, it and all before it. */
  get countedThrough(): number {
    const first = this.#waiting === null ? "b1" : this.#waiting[this.#next];
    const read = first === undefined ? this.#session.nextBlock - 1 : Number(first.slice(1)) - 1;
    return Math.max(read, this.#session.analysedThrough);
  }

  /**
   * Gives the memory of the indexes back. All live blocks wait again, without being counted again. Where content has
   * left the context they stay: what it held is in no other place in memory.
   */
  rest(): void {
    if (this.#session.edits.size > 0) return;
    this.#session.analysedThrough = this.countedThrough;
    this.#indexes = null;
    this.#bookedThrough = 0;
    this.#recallsTold = 0;
    this.#waiting = null;
    this.#next = 0;
  }

  /**
   * Forgets at most `limit` blocks that have gone; when none is left reads waiting blocks, and then departures; answers
   * whether any are left.
   */
  settle(limit = Number.POSITIVE_INFINITY): boolean {
    this.#forgetGone(limit);
    if (this.#gone.length > 0 || this.readBlocks(limit)) return true;
    this.regret.index.settle(limit);
    return this.regret.index.waiting > 0;
  }

  /**
   * Reads at most `limit` waiting blocks; answers whether any are left. What a decision needs: departures wait on, so
   * that a pass is not held up by reading what it has just taken out. A block is read when all that went before it came
   * is forgotten.
   */
  readBlocks(limit = Number.POSITIVE_INFINITY): boolean {
    this.#waiting ??= knownBlocks(this.#session);
    if (this.#next < this.#waiting.length) this.#forgetGone();
    for (let done = 0; done < limit && this.#next < this.#waiting.length; done++) {
      const blockId = this.#waiting[this.#next++] as string;
      this.#tellRecalls(Number(blockId.slice(1)) - 1);
      this.#read(blockId, this.#made());
    }
    if (this.#next < this.#waiting.length) return true;
    this.#tellRecalls(Number.POSITIVE_INFINITY);
    this.#indexes?.keeper.flush();
    this.#waiting = [];
    this.#next = 0;
    return false;
  }

  /** Tells the book of the recalls that came after that block and before the next. */
  #tellRecalls(through: number): void {
    const { recalls } = this.#session;
    for (let next = recalls[this.#recallsTold]; next && next.after <= through; next = recalls[++this.#recallsTold]) {
      this.#made().keeper.recall(next.blockId);
    }
  }

  #made(): Indexes {
    if (this.#indexes) return this.#indexes;
    const keeper = new BookKeeper();
    for (const { tool } of this.#session.tools) keeper.book.noteTool(tool?.name ?? "");
    this.#indexes = this.#newIndexes(keeper);
    return this.#indexes;
  }

  #newIndexes(keeper: BookKeeper): Indexes {
    const similarity = new SimilarityIndex();
    similarity.setTask(taskText(this.#session));
    return { references: new ReferenceIndex(), similarity, superseded: new SupersededIndex(), keeper };
  }

  #forgetGone(limit = Number.POSITIVE_INFINITY): void {
    if (this.#gone.length === 0) return;
    for (const blockId of this.#gone.splice(0, Math.min(limit, this.#gone.length))) this.#forget(blockId);
  }

  #forget(blockId: string): void {
    this.#indexes?.references.remove(blockId);
    this.#indexes?.similarity.remove(blockId);
    this.#indexes?.superseded.remove(blockId);
  }

  /** Reads what the block held when it came, whatever the context shows of it now. */
  #readLines(blockId: string, block: Block | undefined, keeper: BookKeeper): void {
    if (Number(blockId.slice(1)) <= this.#bookedThrough) return;
    const edit = this.#session.edits.get(blockId);
    const source = block ?? edit;
    const back = block ? this.#backAgain(blockId) : undefined;
    const original = back ?? this.#originals.get(blockId) ?? block?.part;
    this.#originals.delete(blockId);
    if (!source || !original || isClearedResult(original)) return;
    const holder = block ? undefined : broughtBackIn(this.#session, blockId);
    keeper.read(blockId, source, original, block?.part ?? (holder ? original : null));
    if (!block && (edit?.rule === WITHDRAWN || edit?.rule === PROVIDER_COMPACTED)) keeper.withdraw(blockId);
  }

  #isOwn({ messageId }: Block): boolean {
    return this.#session.messageById.get(messageId)?.source === "contextd";
  }

  #read(blockId: string, { references, similarity, superseded, keeper }: Indexes): void {
    const block = this.#session.blocks.get(blockId);
    if (block && this.#isOwn(block)) {
      references.add(blockId, textOf(block.part));
      return;
    }
    this.#readLines(blockId, block, keeper);
    if (!block || block.state === "cleared" || block.state === "merged") return;
    const counted = Number(blockId.slice(1)) <= this.#session.analysedThrough;
    const text = textOf(block.part);
    if (!counted && (block.type === "assistant_response" || block.type === "thinking")) {
      for (const id of references.use(text).keys()) {
        const used = this.#session.blocks.get(id);
        if (!used || used.unitId === block.unitId) continue;
        used.lastReferencedTurn = Math.max(used.lastReferencedTurn ?? 0, block.turn);
        used.referenceCount++;
      }
    }
    references.add(blockId, text);
    superseded.add(block);
    if (block.type !== "thinking") similarity.add(block, text);
  }
}

/** The event puts a shorter text in a block's place that still shows some of its lines. */
function isShortening(
  event: CoreEvent,
): event is Extract<CoreEvent, { readonly type: "block.truncated" | "block.summarized" }> {
  return event.type === "block.truncated" || event.type === "block.summarized";
}

/** The block of which the event takes content out of the context, all or a part of it; null when it takes none. */
function takenBlock(event: CoreEvent): string | null {
  if (isShortening(event)) return event.data.pass_id === null ? null : event.data.block_id;
  return event.type === "block.evicted" || event.type === "block.merged" ? event.data.block_id : null;
}

/** Messages of contextd's own that the event takes away. */
function withdrawnMessages(event: CoreEvent): readonly string[] {
  if (event.type === "ledger.rebuilt") return event.data.removed_message_ids;
  if (event.type !== "standing.rewritten" || event.data.removed_message_id === null) return [];
  return [event.data.removed_message_id];
}

/** Goal, criteria and constraints as the agent stated them: what relevance is measured against. */
export function taskText(session: Session): string {
  if (!session.task) return "";
  return [session.task.goal, ...session.task.success_criteria, ...session.task.constraints].join("\n");
}

/** Blocks that have been in the context, in the order in which they came. */
function knownBlocks({ blocks, edits }: Session): string[] {
  const ids = new Set([...blocks.keys(), ...edits.keys()]);
  return [...ids].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
}
