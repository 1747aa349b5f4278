import { BytePairMerge } from "./byte-pair-merge.ts";
import { CharacterClasses } from "./character-classes.ts";
import { LONGEST_CACHED_BYTES, PieceCache } from "./piece-cache.ts";
import { hashBytes, RankTable } from "./rank-table.ts";
import type { PieceEnd } from "./split-rules.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Texts up to this many UTF-16 units are encoded into one buffer that is kept; UTF-8 takes at most 3 bytes a unit. */
const KEPT_BUFFER_UNITS = 1 << 15;

/**
 * An exact counter of a byte pair encoding: the text as UTF-8, cut into pieces by the encoding's split rules, each
 * piece counted from the cache, the vocabulary, or by merging. Agrees with tiktoken on every text, but for characters
 * of a Unicode version that one of the two does not know.
 */
export class BytePairTokenizer implements Tokenizer {
  readonly name: string;
  readonly #pieceEnd: PieceEnd;
  readonly #ranks: RankTable;
  readonly #merge: BytePairMerge;
  readonly #classes = new CharacterClasses();
  readonly #cache = new PieceCache();
  readonly #encoder = new TextEncoder();
  readonly #buffer = new Uint8Array(KEPT_BUFFER_UNITS * 3);

  /** @param packedRanks see RankTable. */
  constructor(name: string, packedRanks: string, pieceEnd: PieceEnd) {
    this.name = name;
    this.#pieceEnd = pieceEnd;
    this.#ranks = new RankTable(packedRanks);
    this.#merge = new BytePairMerge(this.#ranks);
  }

  count(text: string): number {
    return this.countShortPieces(text, Number.POSITIVE_INFINITY) as number;
  }

  countShortPieces(text: string, longestBytes: number): number | null {
    if (text.length === 0) return 0;
    const bytes = text.length <= KEPT_BUFFER_UNITS ? this.#buffer : new Uint8Array(Buffer.byteLength(text));
    // The encoder writes U+FFFD for a lone surrogate, as tiktoken does.
    const end = this.#encoder.encodeInto(text, bytes).written;
    const pieceEnd = this.#pieceEnd;
    const classes = this.#classes;
    let tokens = 0;
    for (let start = 0; start < end; ) {
      const next = pieceEnd(classes, bytes, start, end);
      if (next - start > longestBytes) return null;
      tokens += this.#countPiece(bytes, start, next);
      start = next;
    }
    return tokens;
  }

  *countInSlices(text: string, sliceBytes: number): Generator<void, number, void> {
    const bytes = this.#encoder.encode(text);
    let tokens = 0;
    let pauseAt = sliceBytes;
    for (let start = 0; start < bytes.length; ) {
      const next = this.#pieceEnd(this.#classes, bytes, start, bytes.length);
      tokens += this.#countPiece(bytes, start, next);
      start = next;
      if (start >= pauseAt) {
        yield;
        pauseAt = start + sliceBytes;
      }
    }
    return tokens;
  }

  #countPiece(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    // Every single byte is a token.
    if (length === 1) return 1;
    if (length > LONGEST_CACHED_BYTES) {
      return this.#ranks.rank(bytes, start, end) >= 0 ? 1 : this.#merge.count(bytes, start, end);
    }
    const hash = hashBytes(bytes, start, end);
    const known = this.#cache.get(bytes, start, end, hash);
    if (known > 0) return known;
    const isToken = this.#ranks.rankOfHashed(bytes, start, end, hash) >= 0;
    const tokens = isToken ? 1 : this.#merge.count(bytes, start, end);
    this.#cache.set(bytes, start, end, hash, tokens);
    return tokens;
  }
}
