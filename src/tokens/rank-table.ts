const PAD = "=".charCodeAt(0);
const BASE64_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** FNV-1a, 32 bits. */
const HASH_OFFSET = 0x811c9dc5;
const HASH_PRIME = 0x01000193;

/** Hash of `bytes[start..end)`; never 0, which marks an empty slot. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_OFFSET;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, HASH_PRIME);
  hash ^= hash >>> 15;
  return hash === 0 ? 1 : hash;
}

/**
 * The vocabulary of a byte pair encoding: byte strings and their ranks, in typed arrays, looked up by a range of bytes
 * without making a string. A lower rank merges first.
 */
export class RankTable {
  /** Bytes of the longest token. */
  readonly longest: number;
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #hashes: Int32Array;
  readonly #slots: Int32Array;
  readonly #mask: number;
  /** Ranks of the tokens of two bytes by `first << 8 | second`; -1 where there is none. */
  readonly #pairs = new Int32Array(1 << 16).fill(-1);

  /**
   * @param packed js-tiktoken's format: lines of `! <rank of the first> <token in base64> <token> …`, ranks rising by one.
   */
  constructor(packed: string) {
    const decoded = decode(packed);
    this.#bytes = decoded.bytes;
    this.#offsets = decoded.offsets;
    const count = decoded.offsets.length / 2;
    const capacity = 2 ** Math.ceil(Math.log2(count * 2));
    this.#mask = capacity - 1;
    this.#hashes = new Int32Array(capacity);
    this.#slots = new Int32Array(capacity);
    let longest = 0;
    for (let rank = 0; rank < count; rank++) {
      const start = decoded.offsets[2 * rank]!;
      const end = decoded.offsets[2 * rank + 1]!;
      if (end === start) continue;
      longest = Math.max(longest, end - start);
      if (end - start === 2) this.#pairs[(this.#bytes[start]! << 8) | this.#bytes[start + 1]!] = rank;
      const hash = hashBytes(this.#bytes, start, end);
      let slot = hash & this.#mask;
      while (this.#hashes[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#hashes[slot] = hash;
      this.#slots[slot] = rank;
    }
    this.longest = longest;
  }

  /** Rank of the token `first second`; -1 when there is none. */
  rankOfPair(first: number, second: number): number {
    return this.#pairs[(first << 8) | second]!;
  }

  /** Rank of the token `bytes[start..end)`; -1 when there is none. */
  rank(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > this.longest) return -1;
    return this.rankOfHashed(bytes, start, end, hashBytes(bytes, start, end));
  }

  /** As `rank`, for a caller that has the hash of the range already. */
  rankOfHashed(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const hashes = this.#hashes;
    const own = this.#bytes;
    const length = end - start;
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const there = hashes[slot]!;
      if (there === 0) return -1;
      if (there !== hash) continue;
      const rank = this.#slots[slot]!;
      const from = this.#offsets[2 * rank]!;
      if (this.#offsets[2 * rank + 1]! - from !== length) continue;
      let i = 0;
      while (i < length && own[from + i] === bytes[start + i]) i++;
      if (i === length) return rank;
    }
  }
}

/** Decodes the packed ranks: for each rank, where its bytes start and end in `bytes`; an unused rank has none. */
function decode(packed: string): { bytes: Uint8Array; offsets: Uint32Array } {
  const values = new Uint8Array(128);
  for (let i = 0; i < BASE64_ALPHABET.length; i++) values[BASE64_ALPHABET.charCodeAt(i)] = i;
  const bytes = new Uint8Array(Math.ceil((packed.length * 3) / 4));
  const offsets: number[] = [];
  let length = 0;
  for (const line of packed.split("\n")) {
    if (line === "") continue;
    // `! 0 IQ== …`: the ranks start behind the second blank.
    const numberStart = line.indexOf(" ") + 1;
    let position = line.indexOf(" ", numberStart);
    let rank = Number.parseInt(line.slice(numberStart, position), 10);
    while (position < line.length) {
      const start = length;
      let bits = 0;
      let held = 0;
      for (position++; position < line.length; position++) {
        const code = line.charCodeAt(position);
        if (code === 0x20) break;
        if (code === PAD) continue;
        bits = (bits << 6) | values[code]!;
        held += 6;
        if (held >= 8) {
          held -= 8;
          bytes[length++] = (bits >>> held) & 0xff;
        }
      }
      while (offsets.length < 2 * rank) offsets.push(0);
      offsets.push(start, length);
      rank++;
    }
  }
  return { bytes: bytes.slice(0, length), offsets: Uint32Array.from(offsets) };
}
