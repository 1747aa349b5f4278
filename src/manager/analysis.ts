import { SimilarityIndex, SupersededIndex } from "../eviction/index.ts";
import type { CoreEvent } from "../model/events.ts";
import { textOf } from "../model/part.ts";
import { ReferenceIndex } from "../references/index.ts";
import type { Session } from "./session.ts";

/**
 * The derived indexes of one session: identifiers, near-duplicates, superseded results, and how often each block was
 * referenced. They are never journalled: they follow from the events, which `before` and `after` are told. New blocks
 * wait in a queue and are read after their hook was answered, a slice at a time; what is left is read before anything
 * is edited or leaves, so that neither decisions nor counts depend on the timing.
 */
export class Analysis {
  readonly references = new ReferenceIndex();
  readonly similarity = new SimilarityIndex();
  readonly superseded = new SupersededIndex();
  readonly #session: Session;
  #waiting: string[] = [];
  #next = 0;
  #taskKnown = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** A block to be read, when there is time. */
  added(blockId: string): void {
    this.#waiting.push(blockId);
  }

  /** To be called before an event is applied: what it edits or removes is read first. */
  before(event: CoreEvent): void {
    if (event.type === "message.removed") {
      this.settle();
      for (const block of this.#session.messageById.get(event.data.message_id)?.blocks ?? []) this.#forget(block.id);
    } else if (event.type === "block.evicted" || event.type === "block.merged") this.settle();
    else if (event.type === "block.truncated" && event.data.pass_id !== null) this.settle();
  }

  /** To be called after an event was applied. */
  after(event: CoreEvent): void {
    if (event.type === "block.added") this.added(event.data.block_id);
    else if (event.type === "block.evicted" || event.type === "block.merged") this.#forget(event.data.block_id);
    else if (event.type === "block.truncated" && event.data.pass_id !== null) {
      // What was cut away is no longer found here; likeness and order stay those of the original.
      const block = this.#session.blocks.get(event.data.block_id);
      if (block) this.references.add(block.id, textOf(block.part));
    }
  }

  get waiting(): number {
    return this.#waiting.length - this.#next;
  }

  /** Reads at most `limit` waiting blocks; answers whether any are left. */
  settle(limit = Number.POSITIVE_INFINITY): boolean {
    if (!this.#taskKnown) {
      this.similarity.setTask(taskText(this.#session));
      this.#taskKnown = true;
    }
    for (let done = 0; done < limit && this.#next < this.#waiting.length; done++) {
      this.#read(this.#waiting[this.#next++] as string);
    }
    if (this.#next < this.#waiting.length) return true;
    this.#waiting = [];
    this.#next = 0;
    return false;
  }

  #forget(blockId: string): void {
    this.references.remove(blockId);
    this.similarity.remove(blockId);
    this.superseded.remove(blockId);
  }

  #read(blockId: string): void {
    const block = this.#session.blocks.get(blockId);
    if (!block || block.state === "cleared" || block.state === "merged") return;
    const counted = Number(blockId.slice(1)) <= this.#session.analysedThrough;
    const text = textOf(block.part);
    if (!counted && (block.type === "assistant_response" || block.type === "thinking")) {
      for (const id of this.references.use(text).keys()) {
        const used = this.#session.blocks.get(id);
        if (!used || used.unitId === block.unitId) continue;
        used.lastReferencedTurn = Math.max(used.lastReferencedTurn ?? 0, block.turn);
        used.referenceCount++;
      }
    }
    this.references.add(blockId, text);
    this.superseded.add(block);
    if (block.type !== "thinking") this.similarity.add(block, text);
  }
}

/** Goal, criteria and constraints as the agent stated them: what relevance is measured against. */
export function taskText(session: Session): string {
  if (!session.task) return "";
  return [session.task.goal, ...session.task.success_criteria, ...session.task.constraints].join("\n");
}
