import { describe, expect, test } from "vitest";
import { keyOf, ReuseRates } from "../../src/ledger/reuse.ts";
import { termsOf } from "../../src/ledger/terms.ts";
import { textureOf } from "../../src/ledger/texture.ts";

describe("terms", () => {
  test.each([
    ["parseHTTPReply(http_reply)", ["parse", "http", "reply"]],
    ["src/io/fits_column.py", ["src", "fits", "column"]],
    ["x = 12 + ab", []],
    ["Größe der Straße", ["größe", "der", "straße"]],
    ["Прочитай файл", ["прочитай", "файл"]],
    ["読込エラー: config", ["読込", "込エ", "エラ", "ラー", "config"]],
  ])("of %s are its words and parts of identifiers", (line, expected) => {
    expect([...termsOf(line)]).toEqual(expected);
  });

  test("are read from the head of a long line", () => {
    expect(termsOf(`${"head ".repeat(200)}tail`).has("tail")).toBe(false);
  });
});

describe("the texture of a line", () => {
  test("is what its characters are, whatever the script", () => {
    expect(textureOf("  Ab 12: c")).toEqual({
      length: 8,
      digits: 2 / 8,
      letters: 3 / 8,
      upper: 1 / 8,
      marks: 1 / 8,
      words: 3,
      indent: 2,
    });
    const cyrillic = textureOf("Файл 12");
    expect(cyrillic.letters).toBe(4 / 7);
    expect(cyrillic.upper).toBe(1 / 7);
  });

  test("of an empty line is nothing", () => {
    expect(textureOf("")).toEqual({ length: 1, digits: 0, letters: 0, upper: 0, marks: 0, words: 0, indent: 0 });
  });
});

describe("the key of a line", () => {
  test.each([
    ["flights[12].seat_no: 4A", "seat_no"],
    ['  "name": "x"', "name"],
    ["timeout2 = 5", "timeout"],
    ["no key here", null],
  ])("%s is %s", (line, key) => {
    expect(keyOf(line)).toBe(key);
  });
});

describe("rates of reuse", () => {
  test("are 0 of what was not seen, above 0 of what is used more than the rest, below 0 of what is used less", () => {
    const rates = new ReuseRates();
    const [good, bad] = [rates.of("good"), rates.of("bad")];
    expect(rates.relative(good)).toBe(0);
    for (let value = 0; value < 100; value++) {
      rates.noteSeen([good]);
      rates.noteSeen([bad]);
      if (value % 2 === 0) rates.noteUsed([good]);
    }
    expect(rates.relative(good)).toBeGreaterThan(0.3);
    expect(rates.relative(bad)).toBeLessThan(-1);
    expect(rates.relative(rates.of("unseen"))).toBeCloseTo(0, 12);
  });

  test("of little that was seen are near 0", () => {
    const rates = new ReuseRates();
    for (let value = 0; value < 100; value++) rates.noteSeen([rates.of("many")]);
    const once = rates.of("once");
    rates.noteSeen([once]);
    expect(Math.abs(rates.relative(once))).toBeLessThan(0.25);
  });
});
