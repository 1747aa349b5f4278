import { type CharacterClasses, LETTER, NEWLINE, NUMBER, widthOf } from "./character-classes.ts";
import { contractionLength, numberEnd, PUNCTUATION, WORD_PREFIX, whiteSpaceEnd } from "./split-rules.ts";

const SPACE_BYTE = 0x20;

/**
 * The split pattern of cl100k_base as published with tiktoken, alternatives in order:
 *
 *     contraction
 *     [^\r\n\p{L}\p{N}]? \p{L}+
 *     \p{N}{1,3}
 *     ' '? [^\s\p{L}\p{N}]+ [\r\n]*
 *     \s*[\r\n]+ | \s+(?!\S) | \s+
 */
export function cl100kPieceEnd(classes: CharacterClasses, bytes: Uint8Array, start: number, end: number): number {
  const contraction = contractionLength(bytes, start, end);
  if (contraction > 0) return start + contraction;
  const found = classes.at(bytes, start);
  if ((found & LETTER) !== 0) return classes.runEnd(bytes, start, end, LETTER);
  if ((found & NUMBER) !== 0) return numberEnd(classes, bytes, start, end);
  const next = start + widthOf(found);
  if ((found & WORD_PREFIX) !== 0) {
    const reach = classes.runEnd(bytes, next, end, LETTER);
    if (reach > next) return reach;
  }
  const punctuation = bytes[start] === SPACE_BYTE ? next : start;
  const punctuationEnd = classes.runEnd(bytes, punctuation, end, PUNCTUATION);
  if (punctuationEnd > punctuation) return classes.runEnd(bytes, punctuationEnd, end, NEWLINE);
  return whiteSpaceEnd(classes, bytes, start, end);
}
