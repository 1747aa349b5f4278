import { ASCII_CLASSES, type CharacterClasses, characters, isAscii, trimmed, UNICODE_CLASSES } from "./characters.ts";

/** Kinds of a candidate value. One that fits several patterns has the first. */
export type ValueKind =
  | "url"
  | "email"
  | "path"
  | "file"
  | "flag"
  | "id"
  | "dotted"
  | "identifier"
  | "number"
  | "quote";

interface Pattern {
  readonly kind: ValueKind;
  readonly pattern: RegExp;
  /** No line without this can hold a value of the kind: saves the walk. */
  readonly sign: RegExp;
}

const EXTENSIONS =
  "py|js|ts|tsx|c|h|cpp|rs|go|java|rb|json|ya?ml|toml|cfg|ini|txt|md|rst|sh|csv|tsv|sql|html|css|ipynb|lock|log|xml|" +
  "pdf|xlsx?|pptx|docx|png|zip|gz";

function patternsWith({ word: w, digit: d, space: s, flags }: CharacterClasses): readonly Pattern[] {
  const of = (kind: ValueKind, sign: RegExp, source: string): Pattern => ({
    kind,
    sign,
    pattern: new RegExp(source, flags),
  });
  return [
    of("url", /:\/\//, `https?://[^${s}"'<>)\\]}]{6,}`),
    of("email", /@/, `[${w}.+\\-]+@[${w}\\-]+\\.[${w}.]+[${w}]`),
    of("path", /\//, `(?<![${w}/.])(?:~|\\.{1,2})?/?(?:[${w}.+@\\-]+/)+[${w}.+@\\-]*[${w}]`),
    of("file", /\./, `(?<![${w}/.\\-])[${w}\\-]{2,}\\.(?:${EXTENSIONS})(?![${w}])`),
    of("flag", /--/, `(?<![${w}\\-])--[a-z][${w}\\-]{2,}`),
    of(
      "id",
      /[^\x00-/:-\x7f]/,
      `(?<![${w}])(?=[${w}\\-]*[${d}])(?=[${w}\\-]*[A-Za-z])#?[A-Za-z0-9]+(?:[\\-_][A-Za-z0-9]+)*(?![${w}])`,
    ),
    of("dotted", /\./, `(?<![${w}.])[A-Za-z_][${w}]*(?:\\.[A-Za-z_][${w}]*)+`),
    of(
      "identifier",
      /[A-Z_]/,
      `(?<![${w}])(?:[A-Za-z]+_[${w}]+|_+[A-Za-z][${w}]+|[a-z]+[A-Z][${w}]+|` +
        `[A-Z][a-z0-9]+[A-Z][${w}]+|[A-Z]{2,}[A-Z0-9_]*[${w}])(?![${w}])`,
    ),
    of(
      "number",
      /[^\x00-/:-\x7f]/,
      `(?<![${w}.])[${d}]{3,}(?:[.,:][${d}]+)*(?![${w}])|(?<![${w}.])[${d}]+\\.[${d}]{2,}(?![${w}.])`,
    ),
  ];
}

/** Made once for each form of text; patterns hold no state but `lastIndex`, which `matchAll` does not use. */
const ASCII_PATTERNS = patternsWith(ASCII_CLASSES);
const UNICODE_PATTERNS = patternsWith(UNICODE_CLASSES);
const SINGLE_QUOTED = "'([^'\\n]{8,60} [^'\\n]{2,60})'";
const ASCII_SINGLE_QUOTED = new RegExp(`(?<!\\w)${SINGLE_QUOTED}(?!\\w)`, "g");
const UNICODE_SINGLE_QUOTED = new RegExp(
  `(?<![${UNICODE_CLASSES.word}])${SINGLE_QUOTED}(?![${UNICODE_CLASSES.word}])`,
  "gu",
);

/** Words of the trade that say nothing about one task. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "README TODO NOTE FIXME API URL HTTP HTTPS JSON HTML UTF-8 utf-8 python3 python2 " +
    "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT THOUGHT IMPORTANT str_replace view_range old_str new_str file_text " +
    "__init__ __main__ __name__ pytest py3 1st 2nd 3rd /dev/null /bin/bash dev/null"
  ).split(" "),
);

const SHORTEST = 4;
const SHORTEST_ID = 5;
const LONGEST = 160;

const ESCAPED_BLANK = /\\[ntr"]/g;

/** Literal `\n`, `\t`, `\r` and `\"` glue a value to its neighbour: they become blanks of the same length. */
export function withoutEscapes(line: string): string {
  return line.includes("\\") ? line.replace(ESCAPED_BLANK, "  ") : line;
}

/** Candidate values of one line, as `withoutEscapes` leaves it, in order of kind and place. */
export function valuesOfLine(line: string): Map<string, ValueKind> {
  const found = new Map<string, ValueKind>();
  const ascii = isAscii(line);
  for (const { kind, pattern, sign } of ascii ? ASCII_PATTERNS : UNICODE_PATTERNS) {
    if (!sign.test(line)) continue;
    for (const [match] of line.matchAll(pattern)) {
      const value = withoutPunctuation(match);
      const length = characters(value);
      if (length < (kind === "id" ? SHORTEST_ID : SHORTEST) || length > LONGEST || STOP_WORDS.has(value)) continue;
      if (!found.has(value)) found.set(value, kind);
    }
  }
  for (const quoted of quotedIn(line, ascii)) {
    if (quoted.startsWith(" ") || quoted.endsWith(" ")) continue;
    const value = withoutPunctuation(quoted);
    const length = characters(value);
    if (length < SHORTEST || length > LONGEST || STOP_WORDS.has(value) || found.has(value)) continue;
    found.set(value, "quote");
  }
  return found;
}

/** Strings between marks. Back-ticks and double quotes count only on lines where they balance. */
function quotedIn(line: string, ascii: boolean): string[] {
  const quoted: string[] = [];
  const ticks = line.includes("```") ? [] : between(line, "`");
  for (const text of ticks) if (within(text, 8, 100)) quoted.push(text);
  for (const text of between(line, '"')) if (within(text, 15, 140) && hasInnerBlank(text)) quoted.push(text);
  if (line.includes("'")) {
    const pattern = ascii ? ASCII_SINGLE_QUOTED : UNICODE_SINGLE_QUOTED;
    for (const [, text = ""] of line.matchAll(pattern)) quoted.push(text);
  }
  return quoted;
}

function between(line: string, mark: string): string[] {
  const pieces = line.split(mark);
  return pieces.length % 2 === 0 ? [] : pieces.filter((_, index) => index % 2 === 1);
}

function within(text: string, least: number, most: number): boolean {
  const length = characters(text);
  return length >= least && length <= most;
}

function hasInnerBlank(text: string): boolean {
  return trimmed(text).includes(" ");
}

/** Without the marks that end a sentence or a clause, at either end. */
function withoutPunctuation(text: string): string {
  return text.replace(/^[.,:;]+/, "").replace(/[.,:;]+$/, "");
}
