import { trimmed, type ValueKind, valuesOfLine, withoutEscapes, withoutTrailingSpace } from "../lines/index.ts";
import type { SplitMessage } from "../messages/index.ts";
import { linesOfMessage } from "./message-text.ts";

/** The lines of a run, each text once. A line's identity is its trimmed text, whichever message it stands in. */
export class DistinctLines {
  /** The trimmed texts. */
  readonly keys: string[] = [];
  /** As first seen, escapes made blank: what values are looked for in. */
  readonly texts: string[] = [];
  /** Places of the messages that show the line, rising. */
  readonly shownBy: number[][] = [];
  readonly #numbers = new Map<string, number>();
  readonly #ofMessage: number[][] = [];
  readonly #values: (ReadonlyMap<string, ValueKind> | undefined)[] = [];

  /** Takes the next message of the run in; answers the numbers of its lines. */
  add({ role, parts }: Pick<SplitMessage, "role" | "parts">): readonly number[] {
    const place = this.#ofMessage.length;
    const lines = linesOfMessage(role, parts).map((line) => this.#add(line, place));
    this.#ofMessage.push(lines);
    return lines;
  }

  #add(line: string, place: number): number {
    const key = trimmed(line);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.keys.push(key) - 1;
      this.#numbers.set(key, number);
      this.texts.push(withoutEscapes(withoutTrailingSpace(line.replace(/^\r+/, ""))));
      this.shownBy.push([]);
    }
    const shownBy = this.shownBy[number] as number[];
    if (shownBy.at(-1) !== place) shownBy.push(place);
    return number;
  }

  /** The number of the line with this trimmed text; undefined when no message has shown it. */
  numberOf(key: string): number | undefined {
    return this.#numbers.get(key);
  }

  /** Candidate values of a message, in the order of its lines. */
  mentions(place: number): Map<string, ValueKind> {
    const mentioned = new Map<string, ValueKind>();
    for (const number of this.#ofMessage[place] as number[]) {
      const values = this.#values[number] ?? valuesOfLine(this.texts[number] as string);
      this.#values[number] = values;
      for (const [value, kind] of values) if (!mentioned.has(value)) mentioned.set(value, kind);
    }
    return mentioned;
  }
}
