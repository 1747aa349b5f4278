import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Extractor, extractors, recognise } from "../../src/compression/extract/index.ts";
import { linesOfDocument } from "../../src/lines/index.ts";
import { countCharacters } from "../support/context-builder.ts";
import { keptLines, linesLeftOut, strangeLine } from "../support/extracts.ts";
import { OUTPUTS, resultPassage } from "../support/tool-outputs.ts";

const HANDLE = "h-0123456789ab";
const samples = Object.values(OUTPUTS).map(({ text }) => text);

/** Lines as tools print them, odd ones among them, and what earlier extracts left. */
const anyLine = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...samples.flatMap((text) => text.split("\n").slice(0, 60))) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 120 }).map((text) => text.replaceAll("\n", " ")) },
  fc.constantFrom(
    "",
    "   ",
    "\r",
    "[… 12 lines …]",
    "[… 1,234 lines (5,678 tokens) left out; recall h-0123456789ab …]",
    "[… 40 lines (99 tokens) left out in all …]",
    "[× 7]",
    "[× 9 alike]",
    "😀".repeat(40),
    "\ud83d broken",
  ),
);
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.array(anyLine, { maxLength: 120 }).map((lines) => lines.join("\n")) },
  { weight: 2, arbitrary: fc.constantFrom(...samples) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
);

/** No half of a surrogate pair that is not in the source. */
const isWellFormed = (text: string) =>
  !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);

it("knows a text of each kind by its content and its call", () => {
  expect(Object.keys(OUTPUTS)).toEqual(Object.keys(extractors));
  for (const [name, passage] of Object.entries(OUTPUTS)) {
    expect(recognise(passage)?.name ?? "plain", name).toBe(name);
  }
});

it("finds no kind in source code, in prose and in next to nothing", () => {
  const code = Array.from({ length: 40 }, (_, n) => `    const value${n} = compute(${n}, "some text: more");`).join(
    "\n",
  );
  for (const text of [code, "OK", "", "Done: 3 files written.", "a b c\nd e f\ng h i"]) {
    expect(recognise(resultPassage(text, "run")), text.slice(0, 30)).toBeNull();
  }
});

describe.each(Object.entries<Extractor>(extractors))("the extractor %s", (name, extractor) => {
  const extract = (text: string, limitTokens: number, handle: string | null = HANDLE) =>
    extractor.extract(text, { limitTokens, count: countCharacters, handle });
  const own = OUTPUTS[name]?.text ?? "";

  it("is named as the registry does", () => expect(extractor.name).toBe(name));

  it("brings a text of its kind to a tenth, and says what is missing and how to get it", () => {
    const limit = Math.floor(countCharacters(own) / 10);
    const text = extract(own, limit) ?? "";
    expect(countCharacters(text)).toBeLessThanOrEqual(limit);
    expect(countCharacters(text)).toBeGreaterThan(limit / 4);
    expect(strangeLine(text, own)).toBeNull();
    expect(text).toContain(`; recall ${HANDLE} …]`);
    expect(extract(own, limit, null)).not.toContain("recall");
  });

  it("counts every line that it does not show", () => {
    const lines = (linesOfDocument(own) ?? own.split("\n")).length;
    for (const share of [0.1, 0.3, 0.6]) {
      const text = extract(own, Math.floor(countCharacters(own) * share)) ?? "";
      expect(keptLines(text).length + linesLeftOut(text)).toBe(lines);
    }
  });

  it("counts the same when it shortens its own extract again", () => {
    const lines = (linesOfDocument(own) ?? own.split("\n")).length;
    const once = extract(own, Math.floor(countCharacters(own) * 0.4)) ?? "";
    const twice = extractors.plain.extract(once, {
      limitTokens: Math.floor(countCharacters(once) / 2),
      count: countCharacters,
      handle: HANDLE,
    });
    expect(twice).not.toBeNull();
    expect(strangeLine(twice ?? "", own)).toBeNull();
    expect(keptLines(twice ?? "").length + linesLeftOut(twice ?? "")).toBe(lines);
  });

  it("leaves a text that fits alone", () => expect(extract(own, countCharacters(own))).toBeNull());

  it("keeps whole lines of any text in their order, never more than the limit, the same each time", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 400 }), fc.boolean(), (text, limit, canRecall) => {
        extractor.recognises(resultPassage(text));
        const made = extract(text, limit, canRecall ? HANDLE : null);
        expect(extract(text, limit, canRecall ? HANDLE : null)).toBe(made);
        if (made === null) return;
        expect(countCharacters(made)).toBeLessThanOrEqual(limit);
        expect(countCharacters(made)).toBeLessThan(countCharacters(text));
        expect(strangeLine(made, text)).toBeNull();
        if (isWellFormed(text)) expect(isWellFormed(made)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["one line of words", "word ".repeat(200_000)],
    ["one line of one letter", "a".repeat(1_000_000)],
    ["nothing but line ends", "\n".repeat(1_000_000)],
    ["nothing but blanks", " ".repeat(1_000_000)],
    ["one line of JSON", `{"items":[${Array.from({ length: 40_000 }, (_, n) => `{"id":${n},"ok":true}`).join(",")}]}`],
    ["one line of brackets", "[".repeat(1_000_000)],
    ["many short lines", "src/a.ts:1: ok\n".repeat(66_000)],
    ["many long lines", `${"=".repeat(20_000)}\n`.repeat(50)],
    ["many marks", "- . : / [ ( \" ' ".repeat(60_000)],
  ])("takes %s of a megabyte in no time, and counts no more than the text a few times over", (_what, text) => {
    let counted = 0;
    const count = (piece: string) => {
      counted += piece.length;
      return countCharacters(piece);
    };
    const started = performance.now();
    extractor.recognises(resultPassage(text));
    extractor.extract(text, { limitTokens: 1_000, count, handle: HANDLE });
    // A quadratic walk over a megabyte takes minutes; this machine may be busy.
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(counted).toBeLessThan(4 * text.length);
  });
});
