/** Choices that repeat for the same seed. */
export interface Random {
  /** A number from 0 on and below 1. */
  next(): number;
  /** A whole number from 0 on and below `limit`. */
  below(limit: number): number;
  /** One of the items; undefined when there is none. */
  pick<T>(items: readonly T[]): T | undefined;
}

/** Steps of the golden ratio, mixed: "SplitMix32". Enough for choices in a demo, and the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: (items) => items[below(Math.max(1, items.length))] };
}
