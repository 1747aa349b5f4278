/** Characters of a text that are read: three quarters from its head, the rest from its tail. Bounds the work for a block. */
const READ_CHARACTERS = 65_536;
/** Features that a sketch keeps: those of the smallest hashes, the same sample for every text. */
const SKETCH_FEATURES = 128;
/** Code units from here on (CJK and what follows) are words by themselves: they stand without blanks. */
const IDEOGRAPHS = 0x2e80;

/**
 * A bounded sample of the words of a text, as 32-bit hashes. Because all texts keep their smallest hashes, two
 * sketches can be compared on the range of hashes that both hold in full.
 */
export interface Sketch {
  /** Ascending. */
  readonly hashes: Uint32Array;
  /** 1 + ln(occurrences) of each feature, in sixteenths. */
  readonly weights: Uint8Array;
  /** Up to this hash the sketch holds every feature of the text. */
  readonly horizon: number;
}

/** Spreads the bits of a 32-bit hash, so that "smallest" is a fair sample. */
function spread(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function isWord(code: number): boolean {
  if (code < 128) {
    return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
  }
  return code > 0xbf && code !== 0xd7 && code !== 0xf7 && (code < 0x2000 || code > 0x206f);
}

function countWords(text: string, from: number, to: number, counts: Map<number, number>): void {
  let hash = 0;
  let length = 0;
  const emit = () => {
    const feature = spread(hash);
    counts.set(feature, (counts.get(feature) ?? 0) + 1);
    length = 0;
  };
  for (let i = from; i < to; i++) {
    let code = text.charCodeAt(i);
    if (!isWord(code)) {
      if (length > 0) emit();
      continue;
    }
    if (code >= IDEOGRAPHS && length > 0) emit();
    if (code >= 65 && code <= 90) code += 32;
    if (length === 0) hash = 0x811c9dc5;
    hash = Math.imul(hash ^ code, 0x01000193);
    length++;
    if (code >= IDEOGRAPHS) emit();
  }
  if (length > 0) emit();
}

/** Sketches a text; null when it has no words. Linear in the text, up to the cap. */
export function sketch(text: string): Sketch | null {
  const counts = new Map<number, number>();
  if (text.length <= READ_CHARACTERS) {
    countWords(text, 0, text.length, counts);
  } else {
    const tail = READ_CHARACTERS / 4;
    countWords(text, 0, READ_CHARACTERS - tail, counts);
    countWords(text, text.length - tail, text.length, counts);
  }
  if (counts.size === 0) return null;
  const all = Uint32Array.from(counts.keys()).sort();
  const complete = all.length <= SKETCH_FEATURES;
  const hashes = complete ? all : all.slice(0, SKETCH_FEATURES);
  const weights = Uint8Array.from(hashes, (hash) =>
    Math.min(255, Math.round(16 * (1 + Math.log(counts.get(hash) ?? 1)))),
  );
  return { hashes, weights, horizon: complete ? 0xffffffff : (hashes[hashes.length - 1] ?? 0) };
}

/**
 * Cosine of two sketches over the features whose presence both know, each weighed by `idf`. 0 to 1; exactly 1 for
 * sketches of the same text.
 */
export function cosine(a: Sketch, b: Sketch, idf: (hash: number) => number): number {
  const horizon = Math.min(a.horizon, b.horizon);
  let dot = 0;
  let normA = 0;
  let normB = 0;
  let i = 0;
  let j = 0;
  for (;;) {
    const hashA = i < a.hashes.length ? (a.hashes[i] as number) : Number.POSITIVE_INFINITY;
    const hashB = j < b.hashes.length ? (b.hashes[j] as number) : Number.POSITIVE_INFINITY;
    const hash = Math.min(hashA, hashB);
    if (hash > horizon) break;
    const rarity = idf(hash);
    const weightA = hashA === hash ? (a.weights[i++] as number) * rarity : 0;
    const weightB = hashB === hash ? (b.weights[j++] as number) * rarity : 0;
    dot += weightA * weightB;
    normA += weightA * weightA;
    normB += weightB * weightB;
  }
  if (dot === 0) return 0;
  return Math.min(1, dot / Math.sqrt(normA * normB));
}
