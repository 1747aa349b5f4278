import type { Candidate } from "./candidates.ts";
import type { Value } from "./vocabulary.ts";

/** Candidates that are looked at, best first by score and tokens. */
const MOST_RANKED = 1500;
/** Added to a row's tokens: what a short row costs beside its text. */
const ROW_COST = 3;
/** With fewer tokens left, no row fits. */
const LEAST_LEFT = 2;

/** Values that the chosen lines give already. */
export class Coverage {
  readonly #covered = new Set<Value>();

  /** What is left of the candidate's score: the share of its values' worth that is not covered yet. */
  gain({ score, gives, worth }: Candidate): number {
    if (worth <= 0) return score;
    let left = 0;
    for (const value of gives) if (!this.#covered.has(value)) left += 1 / value.entries;
    return (score * left) / worth;
  }

  add({ gives }: Candidate): void {
    for (const value of gives) this.#covered.add(value);
  }
}

/** Worth of lines taken together, in their order. */
export function coveredScore(candidates: Iterable<Candidate>, coverage = new Coverage()): number {
  let total = 0;
  for (const candidate of candidates) {
    total += coverage.gain(candidate);
    coverage.add(candidate);
  }
  return total;
}

/**
 * Chooses lines within `tokens`, by what each adds to what is covered already, for its tokens: greedy and lazy, since
 * what a line adds can only fall as others are taken. Adds the chosen to `coverage`; best first.
 */
export function choose(
  candidates: readonly Candidate[],
  { tokens, least = 0 }: { readonly tokens: number; readonly least?: number },
  coverage: Coverage,
): Candidate[] {
  const ratio = (candidate: Candidate) => coverage.gain(candidate) / (ROW_COST + candidate.tokens);
  const queue = new Queue(
    candidates
      .map((candidate) => ({ candidate, ratio: ratio(candidate) }))
      .sort((a, b) => b.ratio - a.ratio)
      .slice(0, MOST_RANKED),
  );
  const chosen: Candidate[] = [];
  let left = tokens;
  for (let next = queue.take(); next !== null && left > LEAST_LEFT; next = queue.take()) {
    const { candidate } = next;
    const now = ratio(candidate);
    if (now <= least) continue;
    if (now < next.ratio && now < queue.best) {
      queue.put({ candidate, ratio: now });
      continue;
    }
    if (candidate.tokens > left) continue;
    left -= candidate.tokens;
    chosen.push(candidate);
    coverage.add(candidate);
  }
  return chosen;
}

interface Ranked {
  readonly candidate: Candidate;
  readonly ratio: number;
}

/** A heap, highest ratio first; made of a list that is in this order already. */
class Queue {
  readonly #heap: Ranked[];

  constructor(ordered: Ranked[]) {
    this.#heap = ordered;
  }

  /** Ratio of what would be taken next; -Infinity when empty. */
  get best(): number {
    return this.#heap[0]?.ratio ?? Number.NEGATIVE_INFINITY;
  }

  put(item: Ranked): void {
    const heap = this.#heap;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((heap[parent] as Ranked).ratio >= item.ratio) break;
      heap[at] = heap[parent] as Ranked;
      at = parent;
    }
    heap[at] = item;
  }

  take(): Ranked | null {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined) return null;
    if (heap.length === 0) return top;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = child + 1;
      if (right < heap.length && (heap[right] as Ranked).ratio > (heap[child] as Ranked).ratio) child = right;
      if ((heap[child] as Ranked).ratio <= last.ratio) break;
      heap[at] = heap[child] as Ranked;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}
