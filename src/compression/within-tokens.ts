/** Characters counted at a time, so that the work follows the tokens taken and not the length of the text. */
const CHUNK = 1_024;

/** Counts the tokens of a text; 0 for the empty one. */
export type Count = (text: string) => number;

/** An index into a text, and the tokens between it and the end it was measured from. */
export interface Reach {
  readonly index: number;
  readonly tokens: number;
}

/** Counts a chunk; in a long run of one character the next is the same again. */
function rememberingLast(count: Count): Count {
  let last = "";
  let tokens = 0;
  return (chunk) => {
    if (chunk !== last) {
      tokens = count(chunk);
      last = chunk;
    }
    return tokens;
  };
}

/** The greatest `index` for which `text[from, index)` has at most `limit` tokens, on a code-point boundary. */
export function prefixWithin(text: string, from: number, to: number, limit: number, count: Count): Reach {
  const countChunk = rememberingLast(count);
  let index = from;
  let tokens = 0;
  while (index < to) {
    const end = wholeBefore(text, Math.min(to, index + CHUNK), index);
    const more = countChunk(text.slice(index, end));
    if (tokens + more > limit) {
      const last =
        index + longestFitting(end - index, (length) => count(text.slice(index, index + length)), limit - tokens);
      const whole = wholeBefore(text, last, index);
      return { index: whole, tokens: tokens + count(text.slice(index, whole)) };
    }
    tokens += more;
    index = end;
  }
  return { index, tokens };
}

/** The smallest `index` for which `text[index, to)` has at most `limit` tokens, on a code-point boundary. */
export function suffixWithin(text: string, from: number, to: number, limit: number, count: Count): Reach {
  const countChunk = rememberingLast(count);
  let index = to;
  let tokens = 0;
  while (index > from) {
    const start = wholeAfter(text, Math.max(from, index - CHUNK), index);
    const more = countChunk(text.slice(start, index));
    if (tokens + more > limit) {
      const first =
        index - longestFitting(index - start, (length) => count(text.slice(index - length, index)), limit - tokens);
      const whole = wholeAfter(text, first, index);
      return { index: whole, tokens: tokens + count(text.slice(whole, index)) };
    }
    tokens += more;
    index = start;
  }
  return { index, tokens };
}

/** The greatest length below `tooLong` whose tokens are at most `limit`. */
function longestFitting(tooLong: number, tokensOf: (length: number) => number, limit: number): number {
  let fits = 0;
  let over = tooLong;
  while (over - fits > 1) {
    const middle = (fits + over) >> 1;
    if (tokensOf(middle) <= limit) fits = middle;
    else over = middle;
  }
  return fits;
}

function splitsPair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}

function wholeBefore(text: string, index: number, least: number): number {
  return index > least && index < text.length && splitsPair(text, index) ? index - 1 : index;
}

function wholeAfter(text: string, index: number, most: number): number {
  return index > 0 && index < most && splitsPair(text, index) ? index + 1 : index;
}
