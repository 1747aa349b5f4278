import { SimilarityIndex, SupersededIndex } from "../eviction/index.ts";
import { textOf } from "../model/part.ts";
import { ReferenceIndex } from "../references/index.ts";
import type { Session } from "./session.ts";

/**
 * The derived indexes of one session: identifiers, near-duplicates, superseded results. They are never
 * journalled: they follow from the live blocks. New blocks wait in a queue and are read after their hook was
 * answered, a slice at a time; a pass settles what is left first, so decisions never depend on the timing.
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

  added(blockId: string): void {
    this.#waiting.push(blockId);
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

  /** Forgets a block that left the context or whose content was replaced. */
  removed(blockId: string): void {
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
