/**
 * What counts as white space, a letter or a digit in the measure: Unicode's word characters without combining marks,
 * and white space with the information separators U+001C to U+001F. The figures of two implementations agree only if
 * they agree in this.
 */
const SPACE = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** Members of a character class, for patterns built by `CharacterClasses`. */
export interface CharacterClasses {
  /** Letters, digits and the underscore. */
  readonly word: string;
  readonly digit: string;
  readonly space: string;
  readonly flags: "g" | "gu";
}

/** For texts of ASCII alone: the same answers, many times faster. */
export const ASCII_CLASSES: CharacterClasses = { word: "\\w", digit: "\\d", space: SPACE, flags: "g" };
export const UNICODE_CLASSES: CharacterClasses = {
  word: "\\p{L}\\p{N}_",
  digit: "\\p{Nd}",
  space: SPACE,
  flags: "gu",
};

const NOT_ASCII = /[^\x00-\x7f]/;
const WORD = /^[\p{L}\p{N}_]/u;
const ASCII_WORDS = /\w+/g;
const UNICODE_WORDS = /[\p{L}\p{N}_]+/gu;
const LEADING = new RegExp(`^[${SPACE}]+`);
const TRAILING = new RegExp(`[${SPACE}]$`);

export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text);
}

export function withoutTrailingSpace(text: string): string {
  let end = text.length;
  while (end > 0 && TRAILING.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export function trimmed(text: string): string {
  return withoutTrailingSpace(text).replace(LEADING, "");
}

/** Length in code points. */
export function characters(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) {
      length--;
      at++;
    }
  }
  return length;
}

/** Index of the first occurrence of `value` from `from` on that neither begins nor ends inside a word; -1: none. */
export function indexOfWord(text: string, value: string, from = 0): number {
  const wordBegins = isWordAt(value, 0);
  const wordEnds = isWordBefore(value, value.length);
  for (let at = text.indexOf(value, from); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    if (!(wordBegins && isWordBefore(text, at)) && !(wordEnds && isWordAt(text, end))) return at;
  }
  return -1;
}

/** The words of a text, in order: its longest runs of letters, digits and underscores. */
export function wordsOf(text: string): readonly string[] {
  return text.match(isAscii(text) ? ASCII_WORDS : UNICODE_WORDS) ?? [];
}

function isWordAt(text: string, at: number): boolean {
  const point = text.codePointAt(at);
  return point !== undefined && isWord(point);
}

function isWordBefore(text: string, at: number): boolean {
  if (at <= 0) return false;
  const unit = text.charCodeAt(at - 1);
  if (isLow(unit) && at > 1 && isHigh(text.charCodeAt(at - 2))) return isWord(text.codePointAt(at - 2) as number);
  return isWord(unit);
}

function isWord(point: number): boolean {
  if (point >= 0x80) return WORD.test(String.fromCodePoint(point));
  return (
    (point >= 0x61 && point <= 0x7a) ||
    (point >= 0x41 && point <= 0x5a) ||
    (point >= 0x30 && point <= 0x39) ||
    point === 0x5f
  );
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
