import type { Candidate, Candidates } from "./candidates.ts";

/** Earliest-edit positions that are compared with taking the best candidates wherever they stand. */
const POSITIONS = 16;
/**
 * How much worth per token freed may be given up for a position that rewrites less of the prompt cache, as a share
 * of the least possible. Cost chooses among equals; it never buys much worth.
 */
const WORTH_SLACK = 0.1;
/** How much more the newest block is worth than the oldest of the same score, when positions are compared. */
const NEWNESS = 0.25;

export interface SelectionLimits {
  readonly tokensToFree: number;
  /** Take every candidate that scores 0, also past the demand. */
  readonly exhaustsZero: boolean;
}

export interface Selection {
  /** In the order of the ranking; what a chosen drop takes with it is left out. */
  readonly chosen: readonly Candidate[];
  /** Tokens freed, by the candidates' figures. */
  readonly tokensFreed: number;
  /** Tokens of the context before the first edit; the total when nothing is chosen. */
  readonly firstPosition: number;
}

interface Walk {
  readonly tokensFreed: number;
  readonly worthLost: number;
  readonly firstPosition: number;
}

/**
 * Chooses edits that free a demand in one pass, least worth lost per token first. Holds the ranked candidates as
 * columns, because a choice walks over them some twenty times.
 */
export class Selector {
  readonly #candidates: Candidates;
  readonly #length: number;
  readonly #position: Float64Array;
  readonly #saves: Float64Array;
  readonly #score: Float64Array;
  readonly #unit: Int32Array;
  /** The block's running number; -1 for a drop. */
  readonly #block: Int32Array;
  readonly #banned: Uint8Array;
  /** Where the candidates with a user's words begin. */
  readonly #lastFrom: number;
  /** Tokens freed already in the walk under way. */
  readonly #blockFreed: Float64Array;
  readonly #unitFreed: Float64Array;
  readonly #unitGone: Uint8Array;

  constructor(candidates: Candidates) {
    const { ordered } = candidates;
    this.#candidates = candidates;
    this.#length = ordered.length;
    this.#position = new Float64Array(ordered.length);
    this.#saves = new Float64Array(ordered.length);
    this.#score = new Float64Array(ordered.length);
    this.#unit = new Int32Array(ordered.length);
    this.#block = new Int32Array(ordered.length);
    let at = 0;
    for (const candidate of ordered) {
      this.#position[at] = candidate.position;
      this.#saves[at] = candidate.tokensBefore - candidate.tokensAfter;
      this.#score[at] = candidate.score;
      this.#unit[at] = candidate.unitIndex;
      this.#block[at] = candidate.blockIndex;
      at++;
    }
    this.#banned = new Uint8Array(ordered.length);
    const lastFrom = ordered.findIndex((candidate) => candidate.last);
    this.#lastFrom = lastFrom === -1 ? ordered.length : lastFrom;
    this.#blockFreed = new Float64Array(candidates.blockCount);
    this.#unitFreed = new Float64Array(candidates.unitCount);
    this.#unitGone = new Uint8Array(candidates.unitCount);
  }

  /** Leaves a candidate out of all further choices: it turned out not to be possible. */
  ban(candidate: Candidate): void {
    this.#banned[this.#candidates.ordered.indexOf(candidate)] = 1;
  }

  /**
   * Where the first edit should stand. It ends the provider's cached prefix, and all edits behind it are then free:
   * so a bounded number of positions is tried, and of those that lose no more worth (within WORTH_SLACK) than the
   * best candidates wherever they stand, the one that rewrites least is taken. 0: anywhere.
   */
  bestPosition(limits: SelectionLimits): number {
    const taken: number[] = [];
    const anywhere = this.#walk(limits, 0, taken);
    if (anywhere.tokensFreed < limits.tokensToFree || taken.length < 2) return 0;
    const mostLost = (anywhere.worthLost / anywhere.tokensFreed) * (1 + WORTH_SLACK);
    const { totalTokens } = this.#candidates;
    let leastRewritten = totalTokens - anywhere.firstPosition - anywhere.tokensFreed;
    let best = 0;
    for (const position of this.#positionsToTry(taken)) {
      const walked = this.#walk(limits, position, null);
      if (walked.tokensFreed < limits.tokensToFree || walked.worthLost / walked.tokensFreed > mostLost) continue;
      const rewritten = totalTokens - walked.firstPosition - walked.tokensFreed;
      if (rewritten >= leastRewritten) continue;
      leastRewritten = rewritten;
      best = position;
    }
    return best;
  }

  /** Chooses from the candidates that stand at `from` or behind: all of them when they cannot free the demand. */
  choose(limits: SelectionLimits, from = 0): Selection {
    const taken: number[] = [];
    const { tokensFreed, firstPosition } = this.#walk(limits, from, taken);
    const chosen = taken
      .filter((at) => this.#block[at] === -1 || this.#unitGone[this.#unit[at] as number] === 0)
      .map((at) => this.#candidates.ordered[at] as Candidate);
    const cleared = new Set<unknown>();
    for (const { method, block } of chosen) if (method === "clear") cleared.add(block);
    const kept = chosen.filter(({ method, block }) => method !== "merge" || !cleared.has(block));
    return { chosen: kept, tokensFreed, firstPosition };
  }

  /**
   * Positions to begin at: behind each of the first edits of the choice, since one early edit alone may cost most of
   * the prefix; and evenly over all candidates that score no worse than the choice's worst.
   */
  #positionsToTry(taken: readonly number[]): Set<number> {
    const near = Float64Array.from(taken, (at) => this.#position[at] as number).sort();
    const first = near[0] ?? 0;
    const worst = taken.reduce((most, at) => Math.max(most, this.#score[at] as number), 0) * (1 + WORTH_SLACK);
    const far = this.#position
      .filter((position, at) => position > first && (this.#score[at] as number) <= worst)
      .sort();
    const positions = new Set(near.filter((position) => position > first).subarray(0, POSITIONS / 2));
    for (let i = 1; i <= POSITIONS / 2 && far.length > 0; i++) {
      positions.add(far[Math.floor(((far.length - 1) * i) / (POSITIONS / 2))] as number);
    }
    return positions;
  }

  #walk(limits: SelectionLimits, from: number, taken: number[] | null): Walk {
    this.#blockFreed.fill(0);
    this.#unitFreed.fill(0);
    this.#unitGone.fill(0);
    const { totalTokens } = this.#candidates;
    let tokensFreed = 0;
    let worthLost = 0;
    let firstPosition = totalTokens;
    for (let at = 0; at < this.#length; at++) {
      const score = this.#score[at] as number;
      if (tokensFreed >= limits.tokensToFree && !(limits.exhaustsZero && score === 0 && at < this.#lastFrom)) break;
      const position = this.#position[at] as number;
      if (position < from || this.#banned[at] === 1) continue;
      const freed = this.#take(at);
      if (freed === 0) continue;
      tokensFreed += freed;
      worthLost += freed * score * (1 + NEWNESS * (position / totalTokens));
      if (position < firstPosition) firstPosition = position;
      taken?.push(at);
    }
    return { tokensFreed, worthLost, firstPosition };
  }

  /** Makes the edit in the walk under way and answers what it frees on top of the edits before it. */
  #take(at: number): number {
    const unit = this.#unit[at] as number;
    if (this.#unitGone[unit] === 1) return 0;
    const block = this.#block[at] as number;
    const already = (block === -1 ? this.#unitFreed[unit] : this.#blockFreed[block]) as number;
    const freed = (this.#saves[at] as number) - already;
    if (freed <= 0) return 0;
    if (block === -1) this.#unitGone[unit] = 1;
    else this.#blockFreed[block] = already + freed;
    this.#unitFreed[unit] = (this.#unitFreed[unit] as number) + freed;
    return freed;
  }
}
