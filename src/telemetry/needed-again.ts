import type { EventData, PublishedEvent } from "../model/events.ts";

/** Sessions remembered; beyond them the one whose regrets began first is forgotten. */
const SESSIONS = 10_000;
/** Blocks remembered of a session: regrets of one block come within ten turns of one another. */
const BLOCKS = 64;

/** Tells a block that is needed again for the first time from one that is needed in a second way. */
export class NeededAgain {
  readonly #sessions = new Map<string, Set<string>>();

  first(event: PublishedEvent, { block_id }: EventData["regret.detected"]): boolean {
    const key = keyOf(event);
    const blocks = this.#sessions.get(key) ?? new Set();
    if (blocks.has(block_id)) return false;
    blocks.add(block_id);
    this.#sessions.set(key, blocks);
    dropOldest(blocks, BLOCKS);
    dropOldest(this.#sessions, SESSIONS);
    return true;
  }

  forget(event: PublishedEvent): void {
    this.#sessions.delete(keyOf(event));
  }
}

function dropOldest(kept: Set<string> | Map<string, unknown>, most: number): void {
  if (kept.size > most) kept.delete(kept.keys().next().value as string);
}

function keyOf({ tenant, session }: PublishedEvent): string {
  return JSON.stringify([tenant, session]);
}
