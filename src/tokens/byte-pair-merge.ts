import type { RankTable } from "./rank-table.ts";

/** Pieces up to this many bytes are merged by looking for the lowest rank anew each time: quicker than a heap there. */
const SCANNED_BYTES = 96;
const NO_RANK = 0x7fffffff;
/** Heap keys are `rank * POSITIONS + position`: exact in a double for ranks below 2^21 and pieces below 4 GiB. */
const POSITIONS = 2 ** 32;

/**
 * Counts the tokens of a piece: starting from single bytes, the neighbours whose concatenation has the lowest rank
 * merge, leftmost first, until no concatenation is in the vocabulary. Short pieces by repeated scan, long ones with a
 * heap, in O(n log n) time and 28 bytes of memory a byte.
 */
export class BytePairMerge {
  readonly #ranks: RankTable;
  readonly #starts = new Int32Array(SCANNED_BYTES + 1);
  readonly #pairRanks = new Int32Array(SCANNED_BYTES + 1);

  constructor(ranks: RankTable) {
    this.#ranks = ranks;
  }

  /** Tokens of `bytes[start..end)`, which is no token itself and at least two bytes long. */
  count(bytes: Uint8Array, start: number, end: number): number {
    return end - start <= SCANNED_BYTES ? this.#scan(bytes, start, end) : this.#heap(bytes, start, end);
  }

  #scan(bytes: Uint8Array, start: number, end: number): number {
    const ranks = this.#ranks;
    const starts = this.#starts;
    const pairRanks = this.#pairRanks;
    let parts = end - start;
    for (let i = 0; i < parts; i++) {
      starts[i] = start + i;
      const rank = i + 1 < parts ? ranks.rankOfPair(bytes[start + i]!, bytes[start + i + 1]!) : -1;
      pairRanks[i] = rank < 0 ? NO_RANK : rank;
    }
    starts[parts] = end;
    for (;;) {
      let lowest = NO_RANK;
      let at = -1;
      for (let i = 0; i < parts - 1; i++) {
        if (pairRanks[i]! < lowest) {
          lowest = pairRanks[i]!;
          at = i;
        }
      }
      if (at < 0) return parts;
      starts.copyWithin(at + 1, at + 2, parts + 1);
      pairRanks.copyWithin(at, at + 1, parts);
      parts--;
      pairRanks[at] = at + 1 < parts ? this.#joined(bytes, starts[at]!, starts[at + 2]!) : NO_RANK;
      if (at > 0) pairRanks[at - 1] = this.#joined(bytes, starts[at - 1]!, starts[at + 1]!);
    }
  }

  #joined(bytes: Uint8Array, start: number, end: number): number {
    const rank = this.#ranks.rank(bytes, start, end);
    return rank < 0 ? NO_RANK : rank;
  }

  #heap(bytes: Uint8Array, start: number, end: number): number {
    const ranks = this.#ranks;
    const length = end - start;
    const next = new Int32Array(length + 1);
    const previous = new Int32Array(length + 1);
    /** Rank of the pair that starts at a position; an entry of the heap with another rank is out of date. */
    const current = new Int32Array(length + 1).fill(-1);
    const heap = new MergeQueue(2 * length);
    for (let i = 0; i < length; i++) {
      next[i] = i + 1;
      previous[i] = i - 1;
      if (i + 1 === length) break;
      const rank = ranks.rankOfPair(bytes[start + i]!, bytes[start + i + 1]!);
      current[i] = rank;
      if (rank >= 0) heap.push(rank * POSITIONS + i);
    }
    let parts = length;
    while (heap.size > 0) {
      const key = heap.pop();
      const rank = Math.floor(key / POSITIONS);
      const left = key - rank * POSITIONS;
      if (current[left] !== rank) continue;
      const gone = next[left]!;
      const right = next[gone]!;
      next[left] = right;
      previous[right] = left;
      current[gone] = -1;
      parts--;
      const ahead = right < length ? ranks.rank(bytes, start + left, start + next[right]!) : -1;
      current[left] = ahead;
      if (ahead >= 0) heap.push(ahead * POSITIONS + left);
      const before = previous[left]!;
      if (before >= 0) {
        const behind = ranks.rank(bytes, start + before, start + right);
        if (behind !== current[before]) {
          current[before] = behind;
          if (behind >= 0) heap.push(behind * POSITIONS + before);
        }
      }
    }
    return parts;
  }
}

/** Children of a heap's node: four lie in one cache line, and a heap of a million keys is ten levels deep, not twenty. */
const ARITY = 4;

/** A heap of numbers, lowest first, of fixed capacity. */
class MergeQueue {
  size = 0;
  readonly #keys: Float64Array;

  constructor(capacity: number) {
    this.#keys = new Float64Array(capacity);
  }

  push(key: number): void {
    const keys = this.#keys;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 2;
      if (keys[parent]! <= key) break;
      keys[at] = keys[parent]!;
      at = parent;
    }
    keys[at] = key;
  }

  /** Takes the lowest key out; the heap must not be empty. */
  pop(): number {
    const keys = this.#keys;
    const lowest = keys[0]!;
    const last = keys[--this.size]!;
    const size = this.size;
    let at = 0;
    for (;;) {
      const first = ARITY * at + 1;
      if (first >= size) break;
      const end = Math.min(first + ARITY, size);
      let child = first;
      for (let other = first + 1; other < end; other++) if (keys[other]! < keys[child]!) child = other;
      if (keys[child]! >= last) break;
      keys[at] = keys[child]!;
      at = child;
    }
    keys[at] = last;
    return lowest;
  }
}
