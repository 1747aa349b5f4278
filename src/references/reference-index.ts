import { extractIdentifiers } from "./identifiers.ts";
import { blockCount, blocksOf, type Posting, withBlock, withoutBlock } from "./postings.ts";

export interface ReferenceIndexOptions {
  /** An identifier that more live blocks hold points at none of them. */
  readonly maxBlocks?: number;
}

const MAX_BLOCKS = 12;

interface IndexedBlock {
  readonly number: number;
  /** Hashes of its identifiers. */
  readonly identifiers: Float64Array;
}

/**
 * Which live blocks hold an identifier, so that an assistant's text can be traced to the blocks that it uses.
 *
 * Work is in proportion to the text at hand, never to the number of blocks. Identifiers are kept as 53-bit hashes
 * (a text is not held alive by its names, and a chance collision, one in millions of sessions, costs a false trace), blocks
 * as integers. Nothing here is journalled: the index follows from the live blocks, in any order of arrival.
 */
export class ReferenceIndex {
  readonly #maxBlocks: number;
  readonly #postings = new Map<number, Posting>();
  readonly #blocks = new Map<string, IndexedBlock>();
  readonly #names = new Map<number, string>();
  #nextNumber = 0;

  constructor(options: ReferenceIndexOptions = {}) {
    this.#maxBlocks = options.maxBlocks ?? MAX_BLOCKS;
  }

  /** Live blocks indexed. */
  get size(): number {
    return this.#blocks.size;
  }

  /** Indexes a block. One that is known already is read anew: its content was replaced. */
  add(blockId: string, text: string): void {
    this.remove(blockId);
    const identifiers = identifierHashes(text);
    const number = this.#nextNumber++;
    this.#blocks.set(blockId, { number, identifiers });
    this.#names.set(number, blockId);
    for (const identifier of identifiers) {
      this.#postings.set(identifier, withBlock(this.#postings.get(identifier), number));
    }
  }

  /** Forgets a block; one that is not known is no mistake. */
  remove(blockId: string): void {
    const block = this.#blocks.get(blockId);
    if (!block) return;
    for (const identifier of block.identifiers) {
      const left = withoutBlock(this.#postings.get(identifier) as Posting, block.number);
      if (left === undefined) this.#postings.delete(identifier);
      else this.#postings.set(identifier, left);
    }
    this.#blocks.delete(blockId);
    this.#names.delete(block.number);
  }

  /** Hashes of the identifiers of an indexed block, not to be changed; null for one that is not known. */
  identifiersOf(blockId: string): Float64Array | null {
    return this.#blocks.get(blockId)?.identifiers ?? null;
  }

  /** Whether an indexed block holds the identifier of that hash. */
  holds(identifier: number): boolean {
    return this.#postings.has(identifier);
  }

  /**
   * The live blocks that hold identifiers of the text, each with its weight: the sum over those identifiers of
   * 1 / (number of live blocks that hold it), so that a rare identifier says more. Index a text after its use is
   * traced, or it finds itself.
   */
  use(text: string): Map<string, number> {
    const weights = new Map<string, number>();
    for (const identifier of identifierHashes(text)) {
      const posting = this.#postings.get(identifier);
      if (posting === undefined) continue;
      const holders = blockCount(posting);
      if (holders > this.#maxBlocks) continue;
      for (const number of blocksOf(posting)) {
        const blockId = this.#names.get(number) as string;
        weights.set(blockId, (weights.get(blockId) ?? 0) + 1 / holders);
      }
    }
    return weights;
  }
}

/** The identifiers of a text as the index knows them: hashes of 53 bits, each once. */
export function identifierHashes(text: string): Float64Array {
  return Float64Array.from(new Set(extractIdentifiers(text).map(hashOf)));
}

/** The identifiers of a text by their hashes, in the order of `identifierHashes`. */
export function identifiersByHash(text: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const identifier of extractIdentifiers(text)) {
    const hash = hashOf(identifier);
    if (!found.has(hash)) found.set(hash, identifier);
  }
  return found;
}

/** A 53-bit hash: two 32-bit multiplicative lanes over the UTF-16 units, mixed at the end. */
function hashOf(identifier: string): number {
  let low = 0x9e3779b1;
  let high = 0x85ebca6b;
  for (let index = 0; index < identifier.length; index++) {
    const unit = identifier.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x5bd1e995);
    high ^= high >>> 15;
  }
  low = Math.imul(low ^ (low >>> 16) ^ high, 0x2c1b3c6d);
  high = Math.imul(high ^ (high >>> 13) ^ identifier.length, 0x297a2d39);
  return ((high ^ (high >>> 16)) & 0x1fffff) * 0x100000000 + ((low ^ (low >>> 15)) >>> 0);
}
