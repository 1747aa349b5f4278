/**
 * The blocks that hold an identifier, as small as they come: most identifiers stand in one block (a number), some in
 * a few (an array), and a handful in a great many (a set, so that a block leaves them in constant time).
 */
export type Posting = number | number[] | Set<number>;

const MOST_IN_ARRAY = 16;

/** The posting with a block that it does not hold yet. May change and return `posting` itself. */
export function withBlock(posting: Posting | undefined, block: number): Posting {
  if (posting === undefined) return block;
  if (typeof posting === "number") return [posting, block];
  if (posting instanceof Set) return posting.add(block);
  if (posting.length >= MOST_IN_ARRAY) return new Set(posting).add(block);
  posting.push(block);
  return posting;
}

/** The posting without a block that it holds; undefined when none is left. May change and return `posting` itself. */
export function withoutBlock(posting: Posting, block: number): Posting | undefined {
  if (typeof posting === "number") return undefined;
  if (posting instanceof Set) {
    posting.delete(block);
    return posting.size > MOST_IN_ARRAY / 2 ? posting : [...posting];
  }
  const left = posting.filter((each) => each !== block);
  return left.length === 1 ? left[0] : left;
}

/** How many blocks hold the identifier. */
export function blockCount(posting: Posting): number {
  if (typeof posting === "number") return 1;
  return posting instanceof Set ? posting.size : posting.length;
}

export function blocksOf(posting: Posting): Iterable<number> {
  return typeof posting === "number" ? [posting] : posting;
}
