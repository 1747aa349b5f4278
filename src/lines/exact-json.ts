/** A JSON value with its keys in the order written (a repeated key at its first place) and numbers as spelled out. */
export type ExactJson = string | ExactScalar | readonly ExactJson[] | ReadonlyMap<string, ExactJson>;

/** A number, `true`, `false` or `null`. */
export interface ExactScalar {
  /** How it reads in a line: `True`, `False`, `None`; whole numbers in full, others always with a point. */
  readonly spelling: string;
}

/** Deeper documents are read as plain text. */
const DEEPEST = 500;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const WORDS: Readonly<Record<string, string>> = {
  true: "True",
  false: "False",
  null: "None",
  NaN: "nan",
  Infinity: "inf",
  "-Infinity": "-inf",
};
const WORD = /true|false|null|NaN|-?Infinity/y;
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const BLANK = /[ \t\n\r]*/y;

/**
 * Reads a JSON document, or answers undefined when the text is none. `JSON.parse` does not do: it puts keys that look
 * like numbers first and cannot tell 100.0 from 100, and a line of a document is identified by its text.
 */
export function readExactJson(text: string): ExactJson | undefined {
  const reader = new Reader(text);
  const value = reader.value(0);
  return value !== undefined && reader.atEnd() ? value : undefined;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#take(BLANK);
    return this.#at === this.#text.length;
  }

  value(depth: number): ExactJson | undefined {
    if (depth > DEEPEST) return undefined;
    this.#take(BLANK);
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#list(depth);
    if (first === '"') return this.#string();
    const word = this.#take(WORD);
    if (word !== null) return { spelling: WORDS[word[0]] as string };
    const number = this.#take(NUMBER);
    if (number === null) return undefined;
    const isWhole = number[1] === undefined && number[2] === undefined;
    return { spelling: isWhole ? wholeSpelling(number[0]) : fractionSpelling(Number(number[0])) };
  }

  #object(depth: number): ExactJson | undefined {
    const entries = new Map<string, ExactJson>();
    this.#at++;
    if (this.#skip("}")) return entries;
    for (;;) {
      this.#take(BLANK);
      const key = this.#string();
      if (key === undefined || !this.#skip(":")) return undefined;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      entries.set(key, value);
      if (this.#skip("}")) return entries;
      if (!this.#skip(",")) return undefined;
    }
  }

  #list(depth: number): ExactJson | undefined {
    const items: ExactJson[] = [];
    this.#at++;
    if (this.#skip("]")) return items;
    for (;;) {
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      items.push(value);
      if (this.#skip("]")) return items;
      if (!this.#skip(",")) return undefined;
    }
  }

  #string(): string | undefined {
    const found = this.#take(STRING);
    return found === null ? undefined : (JSON.parse(found[0]) as string);
  }

  #skip(mark: string): boolean {
    this.#take(BLANK);
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

function wholeSpelling(digits: string): string {
  return digits === "-0" ? "0" : digits;
}

/** The shortest digits that read back as the same number; with an exponent below 1e-4 and from 1e16 on. */
function fractionSpelling(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const plain = String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}
