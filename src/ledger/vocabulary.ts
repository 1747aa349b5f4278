import {
  characters,
  trimmed,
  type ValueKind,
  valuesOfLine,
  withoutEscapes,
  withoutTrailingSpace,
} from "../lines/index.ts";
import { keyOf, type Rate } from "./reuse.ts";
import { ERROR_SHAPE, shapesOf } from "./shapes.ts";
import { termsOf } from "./terms.ts";
import type { Texture } from "./texture.ts";

/** Kinds of values that are counted apart; the rest counts in the sum only. */
export const COUNTED_KINDS = ["path", "file", "url", "id", "number", "identifier", "dotted", "flag", "quote"] as const;

/** A path, name, number or quotation that stands on lines: what an agent may need again. */
export class Value {
  readonly kind: ValueKind;
  /** UTF-16 units of its text. */
  readonly length: number;
  /** Its place in `COUNTED_KINDS`; -1 when it is not counted apart. */
  readonly counted: number;
  /** Distinct lines that hold it. */
  lines = 0;
  /** Entries that hold it. */
  entries = 0;
  /** Turns it was first and last seen. */
  first = -1;
  last = -1;
  /** Entries of the assistant that hold it, and recalls of blocks that came with it. */
  mentions = 0;
  /** Turn of the last of them. */
  lastMention = Number.NEGATIVE_INFINITY;
  /** Of these, how many at a later turn than `first`. */
  reuses = 0;
  /** The assistant has come back to it, after turns without it. */
  returned = false;
  /** Where it was first seen, and under which key, as rates of reuse; null while it was seen in pinned text only. */
  sourceRate: Rate | null = null;
  keyRate: Rate | null = null;
  /** It has stood on a line that looks like an error. */
  onError = false;
  /** Pieces of the context that show it, the ledger aside. */
  shown = 0;

  constructor(kind: ValueKind, length: number) {
    this.length = length;
    this.kind = kind;
    this.counted = (COUNTED_KINDS as readonly ValueKind[]).indexOf(kind);
  }
}

/** A word, or a part of an identifier, without case: what texts about one thing share. */
export class Term {
  /** Distinct lines that hold it. */
  lines = 0;
  /** Entries of the assistant that hold it, and the turn of the last of them. */
  mentions = 0;
  lastMention = Number.NEGATIVE_INFINITY;
  /** Number of the newest entry that holds it and that is neither the assistant's nor pinned. */
  lastHeard = -1;
  /** The task holds it. */
  inTask = false;
}

/** What a line is in its entry: text of it, an argument of a call, or the name of a called tool. */
export type LineSource = "text" | "argument" | "name";

/** What was expected of a line when a ledger was last chosen among such as it was then. */
export interface Estimate {
  /** Expected weight of the needs that it would have met. */
  readonly need: number;
  /** The lowest need among the lines that were carried over, where others were left out; null where none was. */
  readonly cutOff: number | null;
}

/** A distinct line of the session, by its trimmed text. What depends on its text alone is found once. */
export class Line {
  readonly text: string;
  /** Characters of the trimmed text. */
  readonly length: number;
  /** Bit set of `SHAPES`. */
  readonly shapes: number;
  readonly values: readonly Value[];
  readonly terms: readonly Term[];
  /** What it names before a colon or an equals sign, as `keyOf` reads it. */
  readonly key: string | null;
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
  /** Null until a pass looks at the line. */
  texture: Texture | null = null;
  /** Tokens as a row of a ledger; -1 until counted. */
  tokens = -1;
  /** Null until it stood to be carried over. */
  estimate: Estimate | null = null;

  constructor(text: string, shapes: number, values: readonly Value[], terms: readonly Term[]) {
    this.text = text;
    this.length = characters(trimmed(text));
    this.shapes = shapes;
    this.values = values;
    this.terms = terms;
    this.key = keyOf(text);
  }
}

/** The distinct lines, values and terms of a session. */
export class Vocabulary {
  readonly #lines = new Map<string, Line>();
  readonly #values = new Map<string, Value>();
  readonly #terms = new Map<string, Term>();

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
    const line = new Line(shown, shapesOf(shown), values, this.#termsOf(reading));
    this.#lines.set(identity, line);
    return line;
  }

  /** Gives up a line, and the values and terms that no other line holds: seen again, they are new. */
  forget(line: Line): void {
    this.#lines.delete(trimmed(line.text));
    for (const value of line.values) value.lines--;
    for (const term of line.terms) term.lines--;
    const reading = withoutEscapes(line.text);
    for (const [text] of valuesOfLine(reading)) if (this.#values.get(text)?.lines === 0) this.#values.delete(text);
    for (const key of termsOf(reading)) if (this.#terms.get(key)?.lines === 0) this.#terms.delete(key);
  }

  find(text: string): Line | undefined {
    return this.#lines.get(trimmed(text));
  }

  #value(text: string, kind: ValueKind): Value {
    let value = this.#values.get(text);
    if (!value) {
      value = new Value(kind, text.length);
      this.#values.set(text, value);
    }
    value.lines++;
    return value;
  }

  /** The terms of a line that is new. */
  #termsOf(text: string): Term[] {
    const found: Term[] = [];
    for (const key of termsOf(text)) {
      let term = this.#terms.get(key);
      if (!term) {
        term = new Term();
        this.#terms.set(key, term);
      }
      term.lines++;
      found.push(term);
    }
    return found;
  }
}

export const isError = (line: Line): boolean => (line.shapes & ERROR_SHAPE) !== 0;
