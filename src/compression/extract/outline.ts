import { gapMarker, leftOutMarker } from "../marker.ts";
import type { Count } from "../within-tokens.ts";
import type { ExtractOptions } from "./extractor.ts";
import type { Piece } from "./pieces.ts";

/** A text as an extractor sees it: its pieces in their order, and what each is worth. */
export interface Outline {
  readonly pieces: readonly Piece[];
  /** Worth of each piece: the greatest are shown first, of equals the earlier. 0: only where a marker is no shorter. */
  readonly weights: ArrayLike<number>;
  /** Says in a few words what the pieces `[from, to)` are, that are left out; "" where there is nothing to say. */
  readonly nameGap?: (from: number, to: number) => string;
  /** Share of the limit below which an extract shows too little, where pieces too long for it are why. */
  readonly leastShare?: number;
}

/** Share of the limit that an extract fills: where lines are too long for that, a cut line shows more. */
const LEAST_SHARE = 0.25;
/** Characters of one token at most, when a piece is too long to be counted for nothing. */
const LONGEST_TOKEN = 64;
/** Pieces that do not fit, one after the other, until no more are tried. */
const MISFITS = 48;
/** Pieces of a gap that may be shown instead of their marker, where that costs no more. */
const SMALL_GAP = 4;

/**
 * The pieces of the greatest worth that fit, in their order, with markers for what is between them; null when the text
 * fits as it is or nothing worth having comes out. Pieces are counted one by one, each once, and only those that are
 * tried; the whole is counted at the end, and what the seams cost is then taken back.
 */
export function fitOutline(text: string, outline: Outline, options: ExtractOptions): string | null {
  const { limitTokens, count } = options;
  const total = count(text);
  if (total <= limitTokens) return null;
  const choice = new Choice(outline, total, options);
  for (let slack = 0; slack < limitTokens; ) {
    const shorter = choice.within(limitTokens - slack);
    if (shorter === null) return null;
    const tokens = count(shorter);
    if (tokens <= limitTokens) {
      const least = choice.hasTooLong ? (outline.leastShare ?? LEAST_SHARE) * limitTokens : 0;
      return tokens < least ? null : shorter;
    }
    slack = Math.max(2 * slack, tokens - limitTokens);
  }
  return null;
}

class Choice {
  /** A piece was left out that is longer than all the room there is. */
  hasTooLong = false;
  readonly #outline: Outline;
  readonly #total: number;
  readonly #handle: string | null;
  readonly #count: Count;
  /** Pieces by falling worth. */
  readonly #order: Uint32Array;
  /** Tokens of a piece with its newline; -1 until it is counted. */
  readonly #tokens: Float64Array;
  readonly #gapTokens: number;
  readonly #sumTokens: number;

  constructor(outline: Outline, total: number, { count, handle }: ExtractOptions) {
    const { pieces, weights, nameGap } = outline;
    this.#outline = outline;
    this.#total = total;
    this.#handle = handle;
    this.#count = count;
    this.#tokens = new Float64Array(pieces.length).fill(-1);
    const shown = Uint32Array.from(pieces.keys()).filter(
      (index) => pieces[index]?.leftOutTokens === null && (weights[index] ?? 0) > 0,
    );
    this.#order = shown.sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
    const half = Math.floor(pieces.length / 2);
    this.#gapTokens = count(`${gapMarker(100, nameGap?.(half, Math.min(pieces.length, half + 8)))}\n`);
    this.#sumTokens = count(`\n${this.#sumMarker({ lines: pieces.length, tokens: total }, "", true)}`);
  }

  within(limit: number): string | null {
    const kept = this.#choose(limit - this.#sumTokens - this.#gapTokens);
    this.#closeSmallGaps(kept);
    return this.#written(kept);
  }

  #choose(available: number): Uint8Array {
    const kept = new Uint8Array(this.#tokens.length);
    let room = available;
    let misfits = 0;
    for (const index of this.#order) {
      const isOpen = (at: number) => at >= 0 && at < kept.length && kept[at] === 0;
      const gaps = (isOpen(index - 1) ? 1 : 0) + (isOpen(index + 1) ? 1 : 0) - 1;
      const own = this.#tokensOf(index, available);
      this.hasTooLong ||= own > available;
      const cost = own + gaps * this.#gapTokens;
      if (cost <= room) {
        kept[index] = 1;
        room -= cost;
        misfits = 0;
      } else if (++misfits > MISFITS) break;
    }
    return kept;
  }

  #tokensOf(index: number, available: number): number {
    const known = this.#tokens[index] ?? -1;
    if (known >= 0) return known;
    const text = this.#outline.pieces[index]?.text ?? "";
    if (text.length > LONGEST_TOKEN * Math.max(1, available)) return Number.POSITIVE_INFINITY;
    const tokens = this.#count(`${text}\n`);
    this.#tokens[index] = tokens;
    return tokens;
  }

  /** A marker that takes as much room as what it stands for is none. */
  #closeSmallGaps(kept: Uint8Array): void {
    for (const [from, to] of gapsOf(kept)) {
      if (to - from > SMALL_GAP) continue;
      let tokens = 0;
      for (let index = from; index < to; index++) {
        const own =
          this.#outline.pieces[index]?.leftOutTokens === null ? this.#tokensOf(index, this.#gapTokens) : Infinity;
        tokens += own;
      }
      if (tokens <= this.#gapTokens) kept.fill(1, from, to);
    }
  }

  #written(kept: Uint8Array): string | null {
    const { pieces, nameGap } = this.#outline;
    const gaps = gapsOf(kept);
    const left = this.#leftOut(kept);
    const shownPieces = kept.reduce((sum, each) => sum + each, 0);
    if (shownPieces === 0 || (left.lines === 0 && gaps.length === 0)) return null;
    const isFolded = pieces.some((piece, index) => kept[index] === 1 && piece.lines > piece.shown);
    const isOne = gaps.length === 1 && !isFolded;
    const parts: string[] = [];
    let next = 0;
    for (const [from, to] of [...gaps, [pieces.length, pieces.length] as const]) {
      for (; next < from; next++) parts.push(pieces[next]?.text ?? "");
      next = to;
      if (from === to) break;
      const lines = pieces.slice(from, to).reduce((sum, piece) => sum + piece.lines, 0);
      const detail = nameGap?.(from, to) ?? "";
      if (isOne) parts.push(this.#sumMarker(left, detail, false));
      else if (lines > 0) parts.push(gapMarker(lines, detail));
    }
    if (!isOne) parts.push(this.#sumMarker(left, "", true));
    return parts.join("\n");
  }

  #leftOut(kept: Uint8Array): { lines: number; tokens: number } {
    let lines = 0;
    let tokens = this.#total;
    for (const [index, piece] of this.#outline.pieces.entries()) {
      lines += kept[index] === 1 ? piece.lines - piece.shown : piece.lines;
      tokens += piece.leftOutTokens ?? 0;
      if (kept[index] === 1) tokens -= this.#tokens[index] ?? 0;
    }
    return { lines, tokens };
  }

  #sumMarker(left: { readonly lines: number; readonly tokens: number }, detail: string, inAll: boolean): string {
    return leftOutMarker({ ...left, tokens: Math.max(1, left.tokens), handle: this.#handle, detail, inAll });
  }
}

/** The runs of pieces that are not kept, as `[from, to)`. */
function gapsOf(kept: Uint8Array): (readonly [from: number, to: number])[] {
  const gaps: (readonly [number, number])[] = [];
  for (let from = kept.indexOf(0); from >= 0; ) {
    const end = kept.indexOf(1, from);
    const to = end < 0 ? kept.length : end;
    gaps.push([from, to]);
    from = kept.indexOf(0, to);
  }
  return gaps;
}
