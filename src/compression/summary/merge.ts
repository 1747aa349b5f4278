import { errorSource } from "./facts/errors.ts";
import { factKey } from "./facts/phrase.ts";
import { cleanSections, type SectionName, type SummarySections, sectionsBy } from "./sections.ts";

/** Two statements of which one holds this share of the other's words say the same. */
const SAME_WORDS = 0.8;
/** A todo of whose words a statement of what was done holds this share is done. */
const DONE_WORDS = 0.7;
/** Fewer words are compared as they stand. */
const LEAST_WORDS = 4;

/** Words that carry no fact. */
const FILLERS = new Set(
  "the a an and or of to in on for with is are was were be been it its this that these those i we you have has had now also just let me my our will successfully user".split(
    " ",
  ),
);

/**
 * The facts of two summaries as one, without a limit: what the newer says replaces what it says anew of the same
 * fact, at the newer place; todos that are done leave `todo`; resolved errors stand behind the others.
 */
export function mergeSections(previous: SummarySections, next: SummarySections): SummarySections {
  const older = cleanSections(previous);
  const newer = cleanSections(next);
  const done = statements(older.done, newer.done);
  return cleanSections(sectionsBy((name) => (name === "done" ? done : merged(name, older, newer, done))));
}

function merged(
  name: SectionName,
  older: SummarySections,
  newer: SummarySections,
  done: readonly string[],
): readonly string[] {
  switch (name) {
    case "goal":
    case "current":
    case "next_step":
      return newer[name].length > 0 ? newer[name] : older[name];
    case "constraints":
      return [...new Set([...older.constraints, ...newer.constraints])];
    case "files":
      return ranked(older.files, newer.files, fileOf, (item) => (/\(read\)$/.test(item) ? 1 : 0));
    case "errors":
      return ranked(older.errors, newer.errors, errorOf, (item) => (isResolved(item) ? 1 : 0));
    case "todo":
      return statements(older.todo, newer.todo).filter((todo) => !isDone(todo, newer.done, done));
    default:
      return statements(older[name], newer[name]);
  }
}

/** Newer before older, and what is of less weight (`rank` 1) behind all else; of the same fact the newer wording. */
function ranked(
  older: readonly string[],
  newer: readonly string[],
  keyOf: (item: string) => string,
  rank: (item: string) => number,
): string[] {
  const found = new Map<string, string>();
  for (const item of [...newer, ...older]) {
    const key = keyOf(item);
    const known = found.get(key);
    if (known === undefined) found.set(key, item);
    // A file that was changed stays one that was changed when it is only read afterwards.
    else if (rank(item) < rank(known) && /\((?:created|edited|deleted)/.test(item)) found.set(key, item);
  }
  return [...found.values()].sort((a, b) => rank(a) - rank(b));
}

/** The path that an item of `files` begins with. */
function fileOf(item: string): string {
  return /^[`*]*([^\s`*:]+)/.exec(item)?.[1] ?? item;
}

/** An error is the call that failed and how; of its text alone if it names no call. */
function errorOf(item: string): string {
  const source = errorSource(item);
  return source === null ? factKey(item.replace(/\s*\((?:resolved|fixed)\)/gi, "")) : source.label;
}

export function isResolved(item: string): boolean {
  return (
    errorSource(item)?.resolved ??
    /\((?:resolved|fixed)[^)\n]*\)|^(?:resolved|fixed)\b|\b(?:resolved|fixed)\.?$/i.test(item)
  );
}

/** In the order of time; a statement that is made again stands where it was made last. */
function statements(older: readonly string[], newer: readonly string[]): string[] {
  const kept: { text: string; words: ReadonlySet<string>; key: string }[] = [];
  for (const text of [...older, ...newer].reverse()) {
    const key = factKey(text);
    const words = wordsOf(text);
    if (!kept.some((other) => other.key === key || sayTheSame(other, { text, words }))) kept.push({ text, words, key });
  }
  return kept.reverse().map(({ text }) => text);
}

interface Statement {
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

/** The same words, and no other number or name: "order 1 was cancelled" is not "order 2 was cancelled". */
function sayTheSame(newer: Statement, older: Statement): boolean {
  if (Math.min(newer.words.size, older.words.size) < LEAST_WORDS) return false;
  return (
    shareOf(older.words, newer.words) >= SAME_WORDS &&
    shareOf(newer.words, older.words) >= SAME_WORDS / 2 &&
    [...older.words].every((word) => !/[\d_/.#]/.test(word) || newer.words.has(word))
  );
}

function isDone(todo: string, ...done: readonly (readonly string[])[]): boolean {
  const words = wordsOf(todo);
  const key = factKey(todo);
  return done.flat().some((item) => {
    if (factKey(item) === key) return true;
    return words.size >= 2 && shareOf(words, wordsOf(item)) >= DONE_WORDS;
  });
}

/** Share of the words of `some` that `all` holds. */
function shareOf(some: ReadonlySet<string>, all: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of some) if (all.has(word)) shared++;
  return some.size === 0 ? 0 : shared / some.size;
}

/** The words of a text that carry it, without their endings: `added` and `adding` are `add`. */
function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_][\p{L}\p{N}_./#-]*/gu)) {
    const plain = word.replace(/[./#-]+$/, "");
    if (plain.length < 2 || FILLERS.has(plain)) continue;
    words.add(/^\p{L}+$/u.test(plain) ? plain.replace(/(?<=\p{L}{3})(?:ing|ed|es|e|s)$/u, "") : plain);
  }
  return words;
}
