import type { Block } from "../model/block.ts";
import type { Similarity } from "./scorer.ts";
import { cosine, type Sketch, sketch } from "./sketch.ts";

/** Features of a block that lead to it from others: those of the smallest hashes. Near duplicates share most of them. */
const POSTED_FEATURES = 8;
/** Blocks remembered for one feature, the newest: bounds the work on features that everything has. */
const POSTING_LENGTH = 32;
/** Earlier blocks compared with a new one. */
const COMPARED = 4;
/** Newer blocks remembered for an older one, so that another is known when the best leaves. */
const REMEMBERED = 4;
/** Likeness below this is chance. */
const FLOOR = 0.25;
/** Buckets of the document counts. Features that share one look less rare than they are, which is the safe side. */
const BUCKETS = 4096;

interface Entry {
  readonly id: string;
  readonly order: number;
  readonly sketch: Sketch;
  relevance: number;
  /** The most similar newer blocks, best first. */
  newer: Similarity[];
  /** Earlier blocks that remember this one. */
  readonly rememberedBy: string[];
}

/**
 * Finds for each live block the most similar newer one, by the TF-IDF cosine of hashed word sketches. A block's
 * document frequencies are those of the moment the newer block of the pair arrived. Adding costs in proportion to
 * the block's own text, up to a cap; asking costs nothing. Add the blocks in the order of the context; the index may
 * be thrown away and built again from the live blocks at any time.
 */
export class SimilarityIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #postings = new Map<number, Entry[]>();
  readonly #documents = new Uint32Array(BUCKETS);
  #added = 0;
  #task: Sketch | null = null;

  get size(): number {
    return this.#entries.size;
  }

  /** Sets the text that `relevance` compares with. Linear in the live blocks: call it when the task changes. */
  setTask(text: string): void {
    this.#task = sketch(text);
    for (const entry of this.#entries.values()) entry.relevance = this.#relevanceOf(entry.sketch);
  }

  /** Takes a block in with its text. Blocks whose content is already gone (cleared, merged) are left out. */
  add(block: Pick<Block, "id" | "state">, text: string): void {
    if (block.state === "cleared" || block.state === "merged" || this.#entries.has(block.id)) return;
    const own = sketch(text);
    if (own === null) return;
    const entry: Entry = {
      id: block.id,
      order: this.#added++,
      sketch: own,
      relevance: 0,
      newer: [],
      rememberedBy: [],
    };
    for (const hash of own.hashes) this.#documents[hash % BUCKETS] = (this.#documents[hash % BUCKETS] ?? 0) + 1;
    entry.relevance = this.#relevanceOf(own);
    for (const older of this.#alike(entry)) this.#remember(older, entry);
    this.#entries.set(entry.id, entry);
    this.#post(entry);
  }

  /** Forgets a block: it left the context, or its content was replaced. Unknown ids are ignored. */
  remove(blockId: string): void {
    const entry = this.#entries.get(blockId);
    if (entry === undefined) return;
    this.#entries.delete(blockId);
    for (const hash of entry.sketch.hashes)
      this.#documents[hash % BUCKETS] = (this.#documents[hash % BUCKETS] ?? 1) - 1;
    for (const hash of entry.sketch.hashes.subarray(0, POSTED_FEATURES)) {
      const left = this.#postings.get(hash)?.filter((posted) => posted !== entry) ?? [];
      if (left.length === 0) this.#postings.delete(hash);
      else this.#postings.set(hash, left);
    }
    for (const id of entry.rememberedBy) {
      const older = this.#entries.get(id);
      if (older !== undefined) older.newer = older.newer.filter((newer) => newer.newerBlockId !== blockId);
    }
  }

  /** The most similar newer live block, the newest of equals; null when none is alike. */
  similarity(blockId: string): Similarity | null {
    return this.#entries.get(blockId)?.newer[0] ?? null;
  }

  /** Likeness of a block to the task, 0 to 1; 0 when either is unknown. */
  relevance(blockId: string): number {
    return this.#entries.get(blockId)?.relevance ?? 0;
  }

  readonly #rarity = (hash: number): number =>
    Math.log(1 + (1 + this.#entries.size) / (1 + (this.#documents[hash % BUCKETS] ?? 0)));

  #relevanceOf(own: Sketch): number {
    return this.#task === null ? 0 : cosine(own, this.#task, this.#rarity);
  }

  /** Earlier blocks that share most of the new one's posted features, rarer features counting more. */
  #alike(entry: Entry): Entry[] {
    const votes = new Map<Entry, number>();
    for (const hash of entry.sketch.hashes.subarray(0, POSTED_FEATURES)) {
      const rarity = this.#rarity(hash);
      for (const posted of this.#postings.get(hash) ?? []) votes.set(posted, (votes.get(posted) ?? 0) + rarity);
    }
    return [...votes.entries()]
      .sort(([a, votesA], [b, votesB]) => votesB - votesA || b.order - a.order)
      .slice(0, COMPARED)
      .map(([posted]) => posted);
  }

  #remember(older: Entry, entry: Entry): void {
    const score = cosine(older.sketch, entry.sketch, this.#rarity);
    if (score < FLOOR) return;
    const place = older.newer.findIndex((newer) => score >= newer.score);
    older.newer.splice(place === -1 ? older.newer.length : place, 0, { score, newerBlockId: entry.id });
    older.newer.length = Math.min(older.newer.length, REMEMBERED);
    entry.rememberedBy.push(older.id);
  }

  #post(entry: Entry): void {
    for (const hash of entry.sketch.hashes.subarray(0, POSTED_FEATURES)) {
      const posting = this.#postings.get(hash);
      if (posting === undefined) {
        this.#postings.set(hash, [entry]);
        continue;
      }
      if (posting.length === POSTING_LENGTH) posting.shift();
      posting.push(entry);
    }
  }
}
