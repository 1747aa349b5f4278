/** Characters of a line that are looked at. */
const MOST_READ = 400;
const LETTER = /\p{L}/u;
const UPPER = /\p{Lu}/u;
const DIGIT = /\p{Nd}/u;
const BLANK = /\s/;

/** What a line is made of, whatever its language. */
export interface Texture {
  /** Characters looked at, at least 1. */
  readonly length: number;
  /** Shares of them. */
  readonly digits: number;
  readonly letters: number;
  readonly upper: number;
  /** Neither letter, digit nor blank. */
  readonly marks: number;
  /** Runs of characters between blanks. */
  readonly words: number;
  /** Blanks before the first of them. */
  readonly indent: number;
}

const DIGITS = 1;
const LETTERS = 2;
const UPPERS = 4;
const BLANKS = 8;

/** What each ASCII character is. */
const ASCII_CLASSES = Uint8Array.from({ length: 128 }, (_, code) => classOf(String.fromCharCode(code)));

export function textureOf(line: string): Texture {
  const text = line.trimStart();
  const length = Math.min(MOST_READ, text.length);
  let digits = 0;
  let letters = 0;
  let upper = 0;
  let blanks = 0;
  let words = 0;
  let afterBlank = true;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const is = ASCII_CLASSES[code] ?? classOf(text.charAt(at));
    if (is & DIGITS) digits++;
    if (is & LETTERS) letters++;
    if (is & UPPERS) upper++;
    if (is & BLANKS) blanks++;
    else if (afterBlank) words++;
    afterBlank = (is & BLANKS) !== 0;
  }
  const all = Math.max(1, length);
  return {
    length: all,
    digits: digits / all,
    letters: letters / all,
    upper: upper / all,
    marks: (length - digits - letters - blanks) / all,
    words,
    indent: line.length - text.length,
  };
}

function classOf(character: string): number {
  if (DIGIT.test(character)) return DIGITS;
  if (LETTER.test(character)) return UPPER.test(character) ? LETTERS | UPPERS : LETTERS;
  return BLANK.test(character) ? BLANKS : 0;
}
