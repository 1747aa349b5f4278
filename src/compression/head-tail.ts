import { leftOutMarker } from "./marker.ts";
import { type Count, prefixWithin, type Reach, suffixWithin } from "./within-tokens.ts";

export interface HeadTailOptions {
  /** Tokens of the result at most, its marker included; or what else `count` counts. */
  readonly limitTokens: number;
  readonly count: Count;
  /** Counts the tokens that the marker names, where `count` counts something else. */
  readonly countTokens?: Count;
  /** What a token comes to in that, about. Absent: 1. */
  readonly unitsPerToken?: number;
  /** What the agent can get the original back by; null: the marker names none. */
  readonly handle: string | null;
}

export interface HeadTail {
  readonly text: string;
  /** `count(text)`: at most the limit. */
  readonly tokens: number;
  /** False when the text fitted as it was. */
  readonly cut: boolean;
}

/** A side with fewer tokens is not worth a second side: the head alone is kept. */
const LEAST_SIDE = 16;
/** Fewer tokens of a line that is cut by characters say nothing. */
const LEAST_CUT = 8;
/** Stands where there is no room for a marker with figures. */
const SHORT_MARKER = "[…]";

/** A span of a text that is kept: from its beginning to `headEnd`, and from `tailStart` to its end. */
interface Kept {
  readonly headEnd: number;
  readonly tailStart: number;
  readonly tokens: number;
}

/**
 * Cuts a text to its head and its tail, half and half, with a marker between them that tells what is missing.
 *
 * Whole lines are kept; only a line that is by itself longer than a side is cut, between code points. What one side
 * leaves goes to the other. Where the limit is too small for two sides the head alone is kept, and where it is too
 * small for the marker's figures a bare `[…]` stands for it.
 *
 * The result never has more tokens than the limit, whatever `count` does at the seams. Apart from one count of the
 * whole text the work is in proportion to the limit.
 */
export function truncateHeadTail(text: string, options: HeadTailOptions): HeadTail {
  const { limitTokens, count } = options;
  const total = count(text);
  if (total <= limitTokens) return { text, tokens: total, cut: false };
  // Tokens are not additive at the seams: where the sum of the pieces was too good, aim lower, and twice as low.
  for (let slack = 0; slack < limitTokens; ) {
    const shorter = compose(text, total, limitTokens - slack, options);
    const tokens = count(shorter);
    if (tokens <= limitTokens) return { text: shorter, tokens, cut: true };
    slack = Math.max(2 * slack, tokens - limitTokens);
  }
  return { text: "", tokens: 0, cut: true };
}

function compose(text: string, total: number, target: number, options: HeadTailOptions): string {
  const { count, handle, countTokens, unitsPerToken = 1 } = options;
  const markerOf = (kept: Kept) =>
    leftOutMarker({
      lines: wholeLines(text, kept),
      tokens: countTokens ? missingTokens(text, kept, countTokens) : Math.max(0, total - kept.tokens),
      handle,
    });
  const longest = markerOf({ headEnd: 0, tailStart: text.length, tokens: 0 });
  const room = target - count(`\n${longest}\n`);
  if (room >= 2 * LEAST_SIDE * unitsPerToken) {
    const kept = headAndTail(text, room, count);
    return joined(text, kept, markerOf(kept));
  }
  if (room >= LEAST_CUT * unitsPerToken) {
    const kept = headAlone(text, room, count);
    return joined(text, kept, markerOf(kept));
  }
  const bareRoom = target - count(`\n${SHORT_MARKER}`);
  if (bareRoom > 0) return joined(text, headAlone(text, bareRoom, count), SHORT_MARKER);
  return text.slice(0, prefixWithin(text, 0, text.length, target, count).index);
}

function headAndTail(text: string, room: number, count: Count): Kept {
  const side = Math.floor(room / 2);
  const head = takeHead(text, 0, text.length, { room: side, cutAbove: side, count });
  const tail = takeTail(text, head.index, { room: room - head.tokens, cutAbove: side, count });
  const left = room - head.tokens - tail.tokens;
  // A line that was cut stays cut; behind a whole line there may be room for more of them.
  const whole = head.index === 0 || text[head.index - 1] === "\n";
  const more = takeHead(text, head.index, tail.index, { room: whole ? left : 0, cutAbove: null, count });
  return { headEnd: more.index, tailStart: tail.index, tokens: head.tokens + more.tokens + tail.tokens };
}

function headAlone(text: string, room: number, count: Count): Kept {
  const head = takeHead(text, 0, text.length, { room, cutAbove: room, count });
  return { headEnd: head.index, tailStart: text.length, tokens: head.tokens };
}

interface Taking {
  /** Tokens that may be taken. */
  readonly room: number;
  /** Tokens above which a line is cut by characters instead of left out; null: none is cut. */
  readonly cutAbove: number | null;
  readonly count: Count;
}

/** Lines of `text[from, to)` from its beginning, as many as fit. */
function takeHead(text: string, from: number, to: number, { room, cutAbove, count }: Taking): Reach {
  let index = from;
  let tokens = 0;
  while (index < to) {
    const newline = text.indexOf("\n", index);
    const end = newline < 0 || newline >= to ? to : newline + 1;
    const left = room - tokens;
    const line = prefixWithin(text, index, end, Math.max(left, cutAbove ?? 0), count);
    if (line.index < end || line.tokens > left) {
      const cut = line.index < end && cutAbove !== null && (left >= LEAST_CUT || tokens === 0);
      if (!cut) break;
      const part = left >= (cutAbove ?? 0) ? line : prefixWithin(text, index, end, left, count);
      return { index: part.index, tokens: tokens + part.tokens };
    }
    tokens += line.tokens;
    index = end;
  }
  return { index, tokens };
}

/** Lines of `text` before its end and behind `from`, as many as fit. */
function takeTail(text: string, from: number, { room, cutAbove, count }: Taking): Reach {
  let index = text.length;
  let tokens = 0;
  while (index > from) {
    const newline = index >= 2 ? text.lastIndexOf("\n", index - 2) : -1;
    const start = Math.max(from, newline + 1);
    const left = room - tokens;
    const line = suffixWithin(text, start, index, Math.max(left, cutAbove ?? 0), count);
    if (line.index > start || line.tokens > left) {
      const cut = line.index > start && cutAbove !== null && (left >= LEAST_CUT || tokens === 0);
      if (!cut) break;
      const part = left >= (cutAbove ?? 0) ? line : suffixWithin(text, start, index, left, count);
      return { index: part.index, tokens: tokens + part.tokens };
    }
    tokens += line.tokens;
    index = start;
  }
  return { index, tokens };
}

function joined(text: string, { headEnd, tailStart }: Kept, marker: string): string {
  if (headEnd >= tailStart) return text;
  const head = text.slice(0, headEnd);
  const tail = text.slice(tailStart);
  const seam = head === "" || head.endsWith("\n") ? "" : "\n";
  return `${head}${seam}${marker}${tail === "" ? "" : "\n"}${tail}`;
}

/** Counted on what is kept, which is little, and on the whole. */
function missingTokens(text: string, { headEnd, tailStart }: Kept, countTokens: Count): number {
  return Math.max(0, countTokens(text) - countTokens(text.slice(0, headEnd)) - countTokens(text.slice(tailStart)));
}

/** Whole lines between the head and the tail. */
function wholeLines(text: string, { headEnd, tailStart }: Kept): number {
  let lines = 0;
  for (let at = text.indexOf("\n", headEnd); at >= 0 && at < tailStart; at = text.indexOf("\n", at + 1)) lines += 1;
  const firstIsWhole = headEnd === 0 || text[headEnd - 1] === "\n";
  if (lines === 0 && !firstIsWhole) return 0;
  const lastIsOpen = tailStart === text.length && tailStart > headEnd && text[tailStart - 1] !== "\n";
  return lines + (lastIsOpen ? 1 : 0) - (firstIsWhole ? 0 : 1);
}
