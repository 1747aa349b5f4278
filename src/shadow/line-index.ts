import { indexOfWord, wordsOf } from "../lines/index.ts";

/**
 * Finds the lines that hold a value, without looking at the others. A value that stands whole in a line has its words
 * there as whole words: only the lines with the rarest of them are looked at.
 */
export class LineIndex {
  readonly #texts: string[] = [];
  readonly #byWord = new Map<string, number[]>();

  /** Takes the next line in; it has the next number, from 0 on. */
  add(text: string): void {
    const number = this.#texts.push(text) - 1;
    for (const word of wordsOf(text)) {
      const lines = this.#byWord.get(word);
      if (lines === undefined) this.#byWord.set(word, [number]);
      else if (lines.at(-1) !== number) lines.push(number);
    }
  }

  /** Numbers of the lines in which the value neither begins nor ends inside a word, rising. */
  *holding(value: string): Iterable<number> {
    for (const line of this.#mayHold(value)) if (indexOfWord(this.#texts[line] as string, value) >= 0) yield line;
  }

  #mayHold(value: string): Iterable<number> {
    let fewest: readonly number[] | null = null;
    for (const word of wordsOf(value)) {
      const lines = this.#byWord.get(word) ?? [];
      if (fewest === null || lines.length < fewest.length) fewest = lines;
    }
    return fewest ?? this.#texts.keys();
  }
}
