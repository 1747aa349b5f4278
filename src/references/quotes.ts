import { classOf, DELIMITER, JOINER } from "./characters.ts";

const SHORTEST = 8;
const LONGEST = 100;

const NEWLINE = 10;
const DOUBLE = 34;
const SINGLE = 39;
const BACKSLASH = 92;
const BACKTICK = 96;

function isWordAt(text: string, index: number): boolean {
  const kind = classOf(text.charCodeAt(index));
  return kind !== DELIMITER && kind !== JOINER;
}

/**
 * The quoted strings of `text[from, to)` with 8 to 100 characters: in double quotes and apostrophes those with a
 * blank (a single word is read as a word), in back-ticks any. A quotation ends with its line; the same quote
 * closes what it opened. One look at each character, whatever the nesting.
 */
export function quotedStrings(text: string, from: number, to: number, emit: (quoted: string) => void): void {
  const opened = { [DOUBLE]: -1, [SINGLE]: -1, [BACKTICK]: -1 } as Record<number, number>;
  for (let index = from; index < to; index++) {
    const unit = text.charCodeAt(index);
    if (unit === NEWLINE) {
      opened[DOUBLE] = opened[SINGLE] = opened[BACKTICK] = -1;
      continue;
    }
    if (unit !== DOUBLE && unit !== SINGLE && unit !== BACKTICK) continue;
    const open = opened[unit] as number;
    if (open < 0) {
      // An apostrophe inside a word opens nothing.
      if (unit !== SINGLE || index === from || !isWordAt(text, index - 1)) opened[unit] = index;
      continue;
    }
    if (unit === SINGLE && index + 1 < to && isWordAt(text, index + 1)) continue;
    opened[unit] = -1;
    const end = text.charCodeAt(index - 1) === BACKSLASH ? index - 1 : index;
    const length = end - open - 1;
    if (length < SHORTEST || length > LONGEST) continue;
    const quoted = text.slice(open + 1, end);
    if (quoted !== quoted.trim()) continue;
    if (unit === BACKTICK || quoted.includes(" ")) emit(quoted);
  }
}
