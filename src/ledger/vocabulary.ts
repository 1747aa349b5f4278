import {
  characters,
  trimmed,
  type ValueKind,
  valuesOfLine,
  withoutEscapes,
  withoutTrailingSpace,
} from "../lines/index.ts";
import { ERROR_SHAPE, shapesOf } from "./shapes.ts";
import { wordsOf } from "./words.ts";

/** Groups of values that are counted apart. */
export const VALUE_GROUPS = ["path", "id", "ident", "flag", "quote"] as const;
type ValueGroup = (typeof VALUE_GROUPS)[number];

const GROUP_OF: Readonly<Record<ValueKind, ValueGroup>> = {
  path: "path",
  file: "path",
  id: "id",
  number: "id",
  email: "id",
  url: "id",
  identifier: "ident",
  dotted: "ident",
  flag: "flag",
  quote: "quote",
};

/** A path, name, number or quotation that stands on lines: what an agent may need again. */
export class Value {
  readonly group: number;
  /** Entries that hold it. */
  entries = 0;
  /** Turn it was first seen. */
  first = -1;
  /** Entries of the assistant that hold it, and recalls of blocks that came with it. */
  mentions = 0;
  /** Turn of the last of them. */
  lastMention = Number.NEGATIVE_INFINITY;
  /** Of these, how many at a later turn than `first`. */
  reuses = 0;
  /** It has stood on a line that looks like an error. */
  onError = false;
  /** Pieces of the context that show it, the ledger aside. */
  shown = 0;

  constructor(kind: ValueKind) {
    this.group = VALUE_GROUPS.indexOf(GROUP_OF[kind]);
  }
}

/** A word of at least three letters, without case. */
export class Word {
  /** Entries that hold it. */
  entries = 0;
  /** Pieces of the context that show it, pinned ones and the ledger aside. */
  shown = 0;
}

/** What a line is in its entry: text of it, an argument of a call, or the name of a called tool. */
export type LineSource = "text" | "argument" | "name";

/** A distinct line of the session, by its trimmed text. What depends on its text alone is found once. */
export class Line {
  readonly text: string;
  /** Characters of the trimmed text. */
  readonly length: number;
  /** Bit set of `SHAPES`. */
  readonly shapes: number;
  readonly values: readonly Value[];
  readonly words: readonly Word[];
  /** Entries that hold it. */
  entries = 0;
  /** Turns it was first and last seen. */
  first = -1;
  last = -1;
  /** Number of the newest entry that holds it; lines before and behind it there. */
  entry = -1;
  before = 0;
  behind = 0;
  source: LineSource = "text";
  /** Pieces of the context that show it whole, the ledger aside. */
  shown = 0;
  /** Tokens as a row of a ledger; -1 until counted. */
  tokens = -1;

  constructor(text: string, shapes: number, values: readonly Value[], words: readonly Word[]) {
    this.text = text;
    this.length = characters(trimmed(text));
    this.shapes = shapes;
    this.values = values;
    this.words = words;
  }
}

/** The distinct lines, values and words of a session. */
export class Vocabulary {
  readonly #lines = new Map<string, Line>();
  readonly #values = new Map<string, Value>();
  readonly #words = new Map<string, Word>();

  get lineCount(): number {
    return this.#lines.size;
  }

  /** The line of that text, made at first sight. `isCommon`: values to leave out, such as names of tools. */
  line(text: string, isCommon: (value: string) => boolean): Line {
    const identity = trimmed(text);
    const known = this.#lines.get(identity);
    if (known) return known;
    const shown = withoutTrailingSpace(text);
    const reading = withoutEscapes(shown);
    const values: Value[] = [];
    for (const [value, kind] of valuesOfLine(reading)) if (!isCommon(value)) values.push(this.#value(value, kind));
    const line = new Line(shown, shapesOf(shown), values, this.#wordsOf(reading));
    this.#lines.set(identity, line);
    return line;
  }

  find(text: string): Line | undefined {
    return this.#lines.get(trimmed(text));
  }

  #value(text: string, kind: ValueKind): Value {
    let value = this.#values.get(text);
    if (!value) {
      value = new Value(kind);
      this.#values.set(text, value);
    }
    return value;
  }

  #wordsOf(text: string): Word[] {
    const found: Word[] = [];
    for (const key of wordsOf(text)) {
      let word = this.#words.get(key);
      if (!word) {
        word = new Word();
        this.#words.set(key, word);
      }
      found.push(word);
    }
    return found;
  }
}

export const isError = (line: Line): boolean => (line.shapes & ERROR_SHAPE) !== 0;
