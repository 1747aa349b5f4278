/** Longer pieces are rare and seldom come back: they are not kept. */
export const LONGEST_CACHED_BYTES = 64;
const SLOTS = 1 << 18;
const ARENA_BYTES = 2 << 20;
const COUNT_BITS = 8;

/**
 * Remembers the token counts of pieces: agents' texts repeat their words. An open-addressing table over one arena of
 * bytes: 4.5 MB at most, nothing for the garbage collector to visit. When it is half full, or the arena is full, it
 * starts afresh; what is in use comes back at the price of one merge a piece.
 */
export class PieceCache {
  readonly #hashes = new Int32Array(SLOTS);
  readonly #offsets = new Int32Array(SLOTS);
  /** `length << 8 | count`; both are at most 64. */
  readonly #sizes = new Uint16Array(SLOTS);
  readonly #arena = new Uint8Array(ARENA_BYTES);
  #used = 0;
  #pieces = 0;

  /** Pieces it holds. */
  get size(): number {
    return this.#pieces;
  }

  /** Tokens of the piece, at most 64 bytes long, whose hash this is; 0 when it is not known. */
  get(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const hashes = this.#hashes;
    const arena = this.#arena;
    const length = end - start;
    for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const there = hashes[slot]!;
      if (there === 0) return 0;
      if (there !== hash) continue;
      const size = this.#sizes[slot]!;
      if (size >>> COUNT_BITS !== length) continue;
      const from = this.#offsets[slot]!;
      let i = 0;
      while (i < length && arena[from + i] === bytes[start + i]) i++;
      if (i === length) return size & ((1 << COUNT_BITS) - 1);
    }
  }

  /** Adds a piece that `get` did not find. */
  set(bytes: Uint8Array, start: number, end: number, hash: number, tokens: number): void {
    const length = end - start;
    if (this.#pieces >= SLOTS / 2 || this.#used + length > ARENA_BYTES) {
      this.#hashes.fill(0);
      this.#used = 0;
      this.#pieces = 0;
    }
    let slot = hash & (SLOTS - 1);
    while (this.#hashes[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    this.#hashes[slot] = hash;
    this.#offsets[slot] = this.#used;
    this.#sizes[slot] = (length << COUNT_BITS) | tokens;
    this.#arena.set(bytes.subarray(start, end), this.#used);
    this.#used += length;
    this.#pieces++;
  }
}
