import {
  CASELESS,
  type CharacterClasses,
  LETTER,
  LOWER,
  MARK,
  NEWLINE,
  NUMBER,
  UPPER,
  widthOf,
} from "./character-classes.ts";
import { contractionLength, numberEnd, PUNCTUATION, WORD_PREFIX, whiteSpaceEnd } from "./split-rules.ts";

const SPACE_BYTE = 0x20;
/** `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` */
const HEAD = UPPER | CASELESS | MARK;
/** `[\p{Ll}\p{Lm}\p{Lo}\p{M}]` */
const TAIL = LOWER | CASELESS | MARK;

/**
 * The split pattern of o200k_base as published with tiktoken, alternatives in order:
 *
 *     [^\r\n\p{L}\p{N}]? HEAD* TAIL+ contraction?
 *     [^\r\n\p{L}\p{N}]? HEAD+ TAIL* contraction?
 *     \p{N}{1,3}
 *     ' '? [^\s\p{L}\p{N}]+ [\r\n/]*
 *     \s*[\r\n]+ | \s+(?!\S) | \s+
 */
export function o200kPieceEnd(classes: CharacterClasses, bytes: Uint8Array, start: number, end: number): number {
  const found = classes.at(bytes, start);
  if ((found & LETTER) !== 0) return wordEnd(classes, bytes, start, end);
  if ((found & NUMBER) !== 0) return numberEnd(classes, bytes, start, end);
  const next = start + widthOf(found);
  if ((found & WORD_PREFIX) !== 0 && next < end) {
    let reach = mixedEnd(classes, bytes, next, end);
    // A mark is a prefix if a word can follow it so, else part of a word itself, before the second alternative.
    if (reach < 0 && (found & MARK) !== 0) reach = mixedEnd(classes, bytes, start, end);
    if (reach < 0) reach = capitalsEnd(classes, bytes, next, end);
    if (reach >= 0) return reach;
  }
  if ((found & MARK) !== 0) return wordEnd(classes, bytes, start, end);
  const punctuation = bytes[start] === SPACE_BYTE ? next : start;
  const punctuationEnd = classes.runEnd(bytes, punctuation, end, PUNCTUATION);
  if (punctuationEnd > punctuation) return closingEnd(classes, bytes, punctuationEnd, end);
  return whiteSpaceEnd(classes, bytes, start, end);
}

function wordEnd(classes: CharacterClasses, bytes: Uint8Array, start: number, end: number): number {
  const reach = mixedEnd(classes, bytes, start, end);
  return reach >= 0 ? reach : capitalsEnd(classes, bytes, start, end);
}

/** `HEAD* TAIL+ contraction?`, or -1. */
function mixedEnd(classes: CharacterClasses, bytes: Uint8Array, start: number, end: number): number {
  let position = start;
  let afterShared = -1;
  let found = 0;
  while (position < end) {
    found = classes.at(bytes, position);
    if ((found & HEAD) === 0) break;
    position += widthOf(found);
    if ((found & TAIL) !== 0) afterShared = position;
  }
  if (position < end && (found & LOWER) !== 0) position = classes.runEnd(bytes, position, end, TAIL);
  // Nothing for TAIL+ after the run of heads: a backtracking matcher gives characters back up to one that is both.
  else if (afterShared >= 0) position = afterShared;
  else return -1;
  return position + contractionLength(bytes, position, end);
}

/** `HEAD+ contraction?`, or -1: what is left of the second alternative where the first has failed. */
function capitalsEnd(classes: CharacterClasses, bytes: Uint8Array, start: number, end: number): number {
  const reach = classes.runEnd(bytes, start, end, HEAD);
  return reach === start ? -1 : reach + contractionLength(bytes, reach, end);
}

/** `[\r\n/]*` */
function closingEnd(classes: CharacterClasses, bytes: Uint8Array, start: number, end: number): number {
  let position = start;
  while (position < end) {
    const byte = bytes[position]!;
    if (byte !== 0x2f && (byte >= 0x80 || (classes.ascii[byte]! & NEWLINE) === 0)) break;
    position++;
  }
  return position;
}
