import type { Reading } from "./readings.ts";

/** How much of what two policies sent for one run was the same. */
export interface Sameness {
  /** Requests from the first one on before which either of them had edited: before, there is nothing to differ in. */
  readonly turns: number;
  /** Of these, those whose whole context was the same. */
  readonly same: number;
}

/** What two replays of one run are compared by. */
export interface SentContexts {
  readonly editedAt: readonly number[];
  readonly contexts: readonly number[];
}

const FIRST = 0x811c9dc5;
const FACTOR = 0x01000193;

/** One number for a context (32 bits, FNV-1a over its messages): that of another context is as good as never the same. */
export function contextNumber(readings: readonly Pick<Reading, "number">[]): number {
  return readings.reduce((hash, { number }) => Math.imul(hash ^ number, FACTOR), FIRST) >>> 0;
}

/** Compares two replays of one run at one window. */
export function samenessOf(a: SentContexts, b: SentContexts): Sameness {
  const first = Math.min(...[a, b].map(({ editedAt }) => editedAt[0] ?? Number.POSITIVE_INFINITY));
  let turns = 0;
  let same = 0;
  for (const [turn, context] of a.contexts.entries()) {
    if (turn < first) continue;
    turns++;
    if (context === b.contexts[turn]) same++;
  }
  return { turns, same };
}
