/** Shorter names say nothing; numbers have a rule of their own. */
const SHORTEST = 4;
/** Longer ones are data, not names. */
const LONGEST = 160;
/** A number with fewer digits turns up anywhere. */
const NUMBER_DIGITS = 3;

/** Receives each identifier found. */
type Emit = (identifier: string) => void;

/** Upper-case words on E that are no error codes. */
const NOT_ERRNO = new Set([
  "ERROR",
  "ERRORS",
  "EMPTY",
  "ENDIF",
  "ENABLE",
  "ENABLED",
  "EVENT",
  "EVENTS",
  "EVERY",
  "EXACT",
]);

/**
 * The identifiers in a run of characters without a blank, quote or bracket: URLs, paths (and their base names),
 * e-mail addresses, flags, dotted names (and their telling parts), snake and camel names, ids of letters and digits,
 * UUIDs, error codes, numbers of three digits and more. The run is short (the scanner sees to it), and every
 * pattern here is a single character class, so the work is linear in it.
 */
export function identifiersOfRun(run: string, emit: Emit): void {
  const scheme = run.indexOf("://");
  if (scheme <= 0) {
    for (const piece of run.split(/[=&?$#%]/)) identifiersOfPiece(piece, emit);
    return;
  }
  let start = scheme;
  while (start > 0 && /[A-Za-z0-9]/.test(run[start - 1] as string)) start -= 1;
  emitName(trimEnd(run.slice(start), ".,:;?&=#-/"), emit);
  if (start > 0) identifiersOfRun(run.slice(0, start), emit);
}

/** A piece between `=`, `&` and the like. A colon parts a path from its line, a class from its method. */
function identifiersOfPiece(piece: string, emit: Emit): void {
  if (/[A-Za-z0-9]@[A-Za-z0-9-]+\./.test(piece)) {
    emitName(trimEnd(piece, ".:-/"), emit);
    return;
  }
  for (const part of piece.split(":")) {
    if (part.includes("/")) identifiersOfPath(part, emit);
    else for (const word of part.split(/[@+~]/)) identifiersOfWord(word, emit);
  }
}

function identifiersOfPath(text: string, emit: Emit): void {
  const path = trimEnd(text.startsWith("./") ? text.slice(2) : text, ".-/+@~");
  const lastSlash = path.lastIndexOf("/");
  if (lastSlash >= 0 && /[A-Za-z0-9]/.test(path)) emitName(path, emit);
  identifiersOfWord(path.slice(lastSlash + 1), emit);
}

function identifiersOfWord(text: string, emit: Emit): void {
  if (/^--[A-Za-z]/.test(text)) {
    emitName(trimEnd(text, ".-"), emit);
    return;
  }
  const word = trimEnd(trimStart(text, ".-"), ".-");
  if (!/[^0-9.-]/.test(word)) {
    if (countDigits(word) >= NUMBER_DIGITS && word.length <= LONGEST) emit(word);
    return;
  }
  if (word.includes(".")) {
    emitName(word, emit);
    for (const part of word.split(".")) if (isTelling(part)) emitName(part, emit);
  } else if (word.includes("-") && !/[0-9]/.test(word)) {
    // Without a digit a hyphen is punctuation: "read-only" is no name, "my_name-based" holds one.
    for (const part of word.split("-")) if (isTelling(part)) emitName(part, emit);
  } else if (isTelling(word)) {
    emitName(word, emit);
  }
}

/** Whether a word can be told from prose by its form: snake, camel, letters with digits, an error code. */
function isTelling(word: string): boolean {
  if (/[A-Za-z0-9]_|_[A-Za-z0-9]/.test(word)) return true;
  if (/[a-z][A-Z]/.test(word)) return true;
  if (/[0-9]/.test(word)) return /[^0-9-]/.test(word);
  return /^E[A-Z]{4,}$/.test(word) && !NOT_ERRNO.has(word);
}

function emitName(name: string, emit: Emit): void {
  if (name.length >= SHORTEST && name.length <= LONGEST) emit(name);
}

function countDigits(word: string): number {
  let digits = 0;
  for (const character of word) if (character >= "0" && character <= "9") digits += 1;
  return digits;
}

function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

function trimStart(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text[start] as string)) start += 1;
  return text.slice(start);
}
