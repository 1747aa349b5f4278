import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indexOfWord, wordsOf } from "../../src/lines/index.ts";
import { LineIndex } from "../../src/shadow/line-index.ts";

const piece = fc.constantFrom("foo", "foo_bar", "src", "Ünï", "id7", "--", "-", ".", "/", " ", "é", "=", "𝛼", "漢字");
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));

describe("the index of lines", () => {
  test("finds the lines that a search through all of them finds, for any value", () => {
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 12 }),
        text.filter((value) => value !== ""),
        (lines, value) => {
          const index = new LineIndex();
          for (const line of lines) index.add(line);
          const expected = lines.flatMap((line, number) => (indexOfWord(line, value) >= 0 ? [number] : []));
          expect([...index.holding(value)]).toEqual(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("takes words for what the search does: letters, digits and underscores of any script", () => {
    expect(wordsOf("a_1 b-c/d.e")).toEqual(["a_1", "b", "c", "d", "e"]);
    expect(wordsOf("für 漢字 é2 — 𝛼x")).toEqual(["für", "漢字", "é2", "𝛼x"]);
    expect(wordsOf("--- ...")).toEqual([]);
  });
});
