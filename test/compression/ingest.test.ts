import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutToLimits, type IngestCutting } from "../../src/compression/ingest.ts";
import { characters } from "../../src/lines/index.ts";
import { countCharacters } from "../support/context-builder.ts";
import { strangeLine } from "../support/extracts.ts";
import { ordersJson, resultPassage } from "../support/tool-outputs.ts";

const HANDLE = "h-0123456789ab";
const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n} of a long output`).join("\n");

function cut(text: string, more: Partial<IngestCutting> = {}, method: "head_tail" | "structured" = "head_tail") {
  const cutting = { limitTokens: 1_000_000, limitCharacters: 8_000, countTokens: countCharacters, handle: HANDLE };
  return cutToLimits(resultPassage(text), method, { ...cutting, ...more });
}

describe("a result on its way in", () => {
  it("over the limit in characters keeps as much of its head as of its tail, the marker counted", () => {
    const source = lines(10_000);
    const { by, text } = cut(source);
    expect(by).toBe("head_tail");
    expect(characters(text)).toBeLessThanOrEqual(8_000);
    expect(characters(text)).toBeGreaterThan(7_800);
    const [head = "", tail = ""] = text.split(
      /\n\[… [\d,]+ lines \([\d,]+ tokens\) left out; recall h-0123456789ab …\]\n/,
    );
    expect(source.startsWith(head)).toBe(true);
    expect(source.endsWith(tail)).toBe(true);
    expect(Math.abs(head.length - tail.length)).toBeLessThan(100);
  });

  it("names the tokens that are missing, not the characters", () => {
    const source = lines(10_000);
    const { text } = cut(source);
    const [, missing = ""] = /\(([\d,]+) tokens\)/.exec(text) ?? [];
    const kept = countCharacters(text.replace(/^\[….*\n/m, ""));
    expect(Math.abs(Number(missing.replaceAll(",", "")) - (countCharacters(source) - kept))).toBeLessThan(10);
  });

  it("keeps its head alone where the limit is too small for a tail", () => {
    const source = lines(10_000);
    const { text } = cut(source, { limitCharacters: 160 });
    expect(characters(text)).toBeLessThanOrEqual(160);
    expect(text).toMatch(/^line 0 .*\n\[… [^\n]*left out; recall h-0123456789ab …\]$/s);
  });

  it("holds both limits, whichever is the smaller, on any text", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary", maxLength: 3_000 }),
      fc.array(fc.string({ unit: "grapheme", maxLength: 90 }), { maxLength: 80 }).map((parts) => parts.join("\n")),
    );
    const method = fc.constantFrom("head_tail" as const, "structured" as const);
    const sizes = fc.record({
      tokens: fc.integer({ min: 1, max: 400 }),
      characters: fc.integer({ min: 80, max: 1_600 }),
    });
    fc.assert(
      fc.property(anyText, sizes, method, (source, limits, how) => {
        const { text } = cut(source, { limitTokens: limits.tokens, limitCharacters: limits.characters }, how);
        expect(countCharacters(text)).toBeLessThanOrEqual(limits.tokens);
        expect(characters(text)).toBeLessThanOrEqual(limits.characters);
      }),
      { numRuns: 300 },
    );
  });

  it("is shortened by its kind where that is asked for, within both limits", () => {
    const source = ordersJson(400);
    const { by, text } = cut(source, { limitTokens: 900, limitCharacters: 2_000 }, "structured");
    expect(by).toBe("json");
    expect(text).toContain("orders[41].status: payment_failed");
    expect(characters(text)).toBeLessThanOrEqual(2_000);
    expect(characters(text)).toBeGreaterThan(1_000);
    expect(strangeLine(text, source)).toBeNull();
  });

  it("of no kind keeps its head and tail", () => {
    const source = Array.from({ length: 400 }, (_, n) => `The ${n}th of many words, and then some more.`).join(" ");
    expect(cut(source, {}, "structured").by).toBe("head_tail");
  });
});
