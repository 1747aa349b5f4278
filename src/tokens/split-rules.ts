import { type CharacterClasses, MARK, NEWLINE, NUMBER, OTHER, SPACE, widthOf } from "./character-classes.ts";

/**
 * An encoding's split pattern as code: text is cut into pieces before byte pairs are merged, and no token crosses a
 * cut. Given the start of a piece (start < end), tells where it ends.
 */
export type PieceEnd = (classes: CharacterClasses, bytes: Uint8Array, start: number, end: number) => number;

const APOSTROPHE = 0x27;
const LETTER_CASE = 0x20;

/** `[^\s\p{L}\p{N}]`: what both patterns take for punctuation. */
export const PUNCTUATION = MARK | OTHER;
/** `[^\r\n\p{L}\p{N}]`: the one character that a word may carry in front. */
export const WORD_PREFIX = MARK | OTHER | SPACE;

/**
 * Length in bytes of the English contraction at `at`: `(?i:'s|'t|'re|'ve|'m|'ll|'d)`, or 0. Without regard to case
 * as Unicode folds it, so that the long s (U+017F) is an s.
 */
export function contractionLength(bytes: Uint8Array, at: number, end: number): number {
  if (at + 1 >= end || bytes[at] !== APOSTROPHE) return 0;
  const first = bytes[at + 1]! | LETTER_CASE;
  switch (String.fromCharCode(first)) {
    case "s":
    case "t":
    case "m":
    case "d":
      return 2;
    default:
  }
  if (at + 2 >= end) return 0;
  if (bytes[at + 1] === 0xc5 && bytes[at + 2] === 0xbf) return 3;
  const second = bytes[at + 2]! | LETTER_CASE;
  const pair = String.fromCharCode(first, second);
  return pair === "ll" || pair === "ve" || pair === "re" ? 3 : 0;
}

/** `\p{N}{1,3}`, given that a number stands at `start`. */
export function numberEnd(classes: CharacterClasses, bytes: Uint8Array, start: number, end: number): number {
  let position = start;
  for (let digits = 0; digits < 3 && position < end; digits++) {
    const found = classes.at(bytes, position);
    if ((found & NUMBER) === 0) break;
    position += widthOf(found);
  }
  return position;
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+`, given that white space stands at `start`. */
export function whiteSpaceEnd(classes: CharacterClasses, bytes: Uint8Array, start: number, end: number): number {
  let position = start;
  let lastStart = start;
  let afterNewline = -1;
  while (position < end) {
    const found = classes.at(bytes, position);
    if ((found & (SPACE | NEWLINE)) === 0) break;
    lastStart = position;
    position += widthOf(found);
    if ((found & NEWLINE) !== 0) afterNewline = position;
  }
  if (afterNewline >= 0) return afterNewline;
  // The last space before a word stays behind: it goes with the word.
  return position === end || lastStart === start ? position : lastStart;
}
