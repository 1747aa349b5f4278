import { classOf, DELIMITER, DIGIT, JOINER, LOWER, UNDERSCORE, UPPER } from "./characters.ts";
import { quotedStrings } from "./quotes.ts";
import { identifiersOfRun } from "./words.ts";

/** Characters looked at in a long text: its beginning and its end. */
const HEAD = 48 * 1024;
const TAIL = 16 * 1024;

/** Identifiers taken of one text. */
const MOST = 2_000;

/** A run without a blank that is longer is data (base64, a minified line), not names. */
const LONGEST_RUN = 1_024;

const BACKSLASH = 92;
/** Letters behind a backslash that make a blank of it in escaped text: \n \r \t. */
const BLANK_ESCAPES = "nrt";

/**
 * The identifiers of a text, each once, in order of first appearance by kind (words, then quotations): paths, URLs,
 * dotted, snake and camel names, hex and UUIDs, numbers of three digits and more, quoted strings, error codes.
 *
 * Bounded on any input: of a text over 64 Ki characters the first 48 Ki and the last 16 Ki are read, 2,000
 * identifiers are taken at most, and the time is linear in what is read.
 */
export function extractIdentifiers(text: string): string[] {
  const found = new Set<string>();
  const emit = (identifier: string) => {
    if (found.size < MOST) found.add(identifier);
  };
  const pieces: readonly (readonly [from: number, to: number])[] =
    text.length <= HEAD + TAIL
      ? [[0, text.length]]
      : [
          [0, beforeCutRun(text, HEAD)],
          [afterCutRun(text, text.length - TAIL), text.length],
        ];
  for (const [from, to] of pieces) if (found.size < MOST) scanRuns(text, from, to, emit);
  for (const [from, to] of pieces) if (found.size < MOST) quotedStrings(text, from, to, emit);
  return [...found];
}

/** Half an identifier is another identifier: a run that a cut would halve is left out. */
function beforeCutRun(text: string, cut: number): number {
  let end = cut;
  while (end > 0 && classOf(text.charCodeAt(end - 1)) !== DELIMITER) end -= 1;
  return end;
}

function afterCutRun(text: string, cut: number): number {
  let start = cut;
  while (start < text.length && classOf(text.charCodeAt(start)) !== DELIMITER) start += 1;
  return start;
}

function scanRuns(text: string, from: number, to: number, emit: (identifier: string) => void): void {
  let index = from;
  while (index < to) {
    const unit = text.charCodeAt(index);
    if (classOf(unit) === DELIMITER) {
      const blankEscape = unit === BACKSLASH && index + 1 < to && BLANK_ESCAPES.includes(text[index + 1] as string);
      index += blankEscape ? 2 : 1;
      continue;
    }
    const start = index;
    let kinds = 0;
    let innerUpper = false;
    for (; index < to; index++) {
      const kind = classOf(text.charCodeAt(index));
      if (kind === DELIMITER) break;
      if (kind === UPPER && index > start) innerUpper = true;
      kinds |= kind;
    }
    const plainWord = (kinds & (DIGIT | UNDERSCORE | JOINER)) === 0 && (kinds === LOWER || !innerUpper);
    if (!plainWord && index - start <= LONGEST_RUN) identifiersOfRun(text.slice(start, index), emit);
  }
}
