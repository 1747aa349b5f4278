import { SimilarityIndex, SupersededIndex } from "../eviction/index.ts";
import type { CoreEvent } from "../model/events.ts";
import { textOf } from "../model/part.ts";
import { ReferenceIndex } from "../references/index.ts";
import { RegretWatch } from "./regret-watch.ts";
import type { Session } from "./session.ts";

interface Indexes {
  readonly references: ReferenceIndex;
  readonly similarity: SimilarityIndex;
  readonly superseded: SupersededIndex;
}

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

  constructor(session: Session) {
    this.#session = session;
    this.regret = new RegretWatch(session);
  }

  get references(): ReferenceIndex {
    return this.#made().references;
  }

  get similarity(): SimilarityIndex {
    return this.#made().similarity;
  }

  get superseded(): SupersededIndex {
    return this.#made().superseded;
  }

  /** To be called before an event is applied: what it edits or removes is read first. */
  before(event: CoreEvent): void {
    if (event.type === "message.removed") {
      this.#readBlocks(Number.POSITIVE_INFINITY);
      for (const block of this.#session.messageById.get(event.data.message_id)?.blocks ?? []) this.#forget(block.id);
    } else if (takes(event)) {
      this.#readBlocks(Number.POSITIVE_INFINITY);
      this.regret.leaving(event.data.block_id, this.#made().references);
    }
  }

  /** To be called after an event was applied. */
  after(event: CoreEvent): void {
    this.regret.after(event);
    if (event.type === "block.added") this.#waiting?.push(event.data.block_id);
    else if (event.type === "block.evicted" || event.type === "block.merged") this.#forget(event.data.block_id);
    else if (event.type === "block.truncated" && event.data.pass_id !== null) {
      // What was cut away is no longer found here; likeness and order stay those of the original.
      const block = this.#session.blocks.get(event.data.block_id);
      if (block) this.#made().references.add(block.id, textOf(block.part));
    }
  }

  get waiting(): number {
    const blocks = this.#waiting === null ? this.#session.blocks.size : this.#waiting.length - this.#next;
    return blocks + this.regret.index.waiting;
  }

  /** Number of the last block whose references were counted, it and all before it. */
  get countedThrough(): number {
    const first = this.#waiting === null ? "b1" : this.#waiting[this.#next];
    const read = first === undefined ? this.#session.nextBlock - 1 : Number(first.slice(1)) - 1;
    return Math.max(read, this.#session.analysedThrough);
  }

  /** Gives the memory of the indexes back. All live blocks wait again, without being counted again. */
  rest(): void {
    this.#session.analysedThrough = this.countedThrough;
    this.#indexes = null;
    this.#waiting = null;
    this.#next = 0;
  }

  /** Reads at most `limit` waiting blocks, and when none is left departures; answers whether any are left. */
  settle(limit = Number.POSITIVE_INFINITY): boolean {
    if (this.#readBlocks(limit)) return true;
    this.regret.index.settle(limit);
    return this.regret.index.waiting > 0;
  }

  #readBlocks(limit: number): boolean {
    this.#waiting ??= [...this.#session.blocks.keys()];
    for (let done = 0; done < limit && this.#next < this.#waiting.length; done++) {
      this.#read(this.#waiting[this.#next++] as string, this.#made());
    }
    if (this.#next < this.#waiting.length) return true;
    this.#waiting = [];
    this.#next = 0;
    return false;
  }

  #made(): Indexes {
    if (this.#indexes) return this.#indexes;
    const indexes = {
      references: new ReferenceIndex(),
      similarity: new SimilarityIndex(),
      superseded: new SupersededIndex(),
    };
    indexes.similarity.setTask(taskText(this.#session));
    this.#indexes = indexes;
    return indexes;
  }

  #forget(blockId: string): void {
    this.#indexes?.references.remove(blockId);
    this.#indexes?.similarity.remove(blockId);
    this.#indexes?.superseded.remove(blockId);
  }

  #read(blockId: string, { references, similarity, superseded }: Indexes): void {
    const block = this.#session.blocks.get(blockId);
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

/** Whether the event takes content of a block out of the context, or part of it. */
function takes(
  event: CoreEvent,
): event is Extract<CoreEvent, { type: "block.evicted" | "block.merged" | "block.truncated" }> {
  if (event.type === "block.truncated") return event.data.pass_id !== null;
  return event.type === "block.evicted" || event.type === "block.merged";
}

/** Goal, criteria and constraints as the agent stated them: what relevance is measured against. */
export function taskText(session: Session): string {
  if (!session.task) return "";
  return [session.task.goal, ...session.task.success_criteria, ...session.task.constraints].join("\n");
}
