import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { truncateHeadTail } from "../../src/compression/head-tail.ts";
import { tokenizers } from "../../src/tokens/index.ts";

const MARKER = /\[…(?: [\d,]+ lines? \([\d,]+ tokens\) left out| [\d,]+ tokens left out)?(?:; recall h-\w+)?(?: …)?\]/;

const LONE_SURROGATE = /\p{Surrogate}/u;

const quarter = (text: string) => Math.ceil(text.length / 4);
const words = (text: string) => text.split(/\s+/).filter((word) => word !== "").length;
/** Every character a token: figures can be told by hand. */
const characters = (text: string) => text.length;
/** More than the sum of the parts: what no tokenizer does for long. */
const growing = (text: string) => Math.ceil(text.length ** 1.2);

function cut(text: string, limitTokens: number, count = characters, handle: string | null = null) {
  return truncateHeadTail(text, { limitTokens, count, handle });
}

/** Splits a result at its marker. */
function sides(text: string): { head: string; marker: string; tail: string } {
  const marker = MARKER.exec(text);
  if (!marker) throw new Error("no marker");
  return {
    head: text.slice(0, marker.index),
    marker: marker[0],
    tail: text.slice(marker.index + marker[0].length).replace(/^\n/, ""),
  };
}

describe("a text that is cut to head and tail", () => {
  const numbered = Array.from({ length: 1_000 }, (_, index) => `line ${String(index).padStart(4, "0")}\n`).join("");

  it("is left as it is when it fits", () => {
    expect(cut("one\ntwo\n", 8)).toEqual({ text: "one\ntwo\n", tokens: 8, cut: false });
  });

  it("keeps whole lines of both ends, half and half, and tells what is missing", () => {
    const { text, tokens } = cut(numbered, 260);
    const { head, marker, tail } = sides(text);
    expect(head).toBe(numbered.slice(0, head.length));
    expect(tail).toBe(numbered.slice(-tail.length));
    expect(head.length).toBe(100);
    expect(tail.length).toBe(110);
    expect(marker).toBe("[… 979 lines (9,790 tokens) left out …]");
    expect(tokens).toBe(text.length);
    expect(tokens).toBeLessThanOrEqual(260);
  });

  it("names the handle where it is given one", () => {
    expect(sides(cut(numbered, 300, characters, "h-0123456789ab").text).marker).toMatch(/; recall h-0123456789ab …\]$/);
  });

  it("gives one side what the other leaves", () => {
    const text = `${"h".repeat(99)}\n${"m".repeat(169)}\n${"short tail\n".repeat(200)}`;
    const { head, tail } = sides(cut(text, 400).text);
    expect(head).toBe(`${"h".repeat(99)}\n`);
    expect(tail.length).toBeGreaterThan(220);
    const reversed = sides(cut(text.split("\n").reverse().join("\n"), 400).text);
    expect(reversed.tail).toBe("h".repeat(99));
    expect(reversed.head.length).toBeGreaterThan(220);
  });

  it("cuts a single long line by characters", () => {
    const { head, marker, tail } = sides(cut("0123456789".repeat(1_000), 140).text);
    expect(head).toMatch(/^0123456789\d+\n$/);
    expect(tail).toMatch(/^\d+0123456789$/);
    expect(head.length).toBeGreaterThan(45);
    expect(marker).toMatch(/^\[… 9,\d{3} tokens left out …\]$/);
  });

  it("cuts a long line behind a short one, rather than keep the short one alone", () => {
    const { head } = sides(cut(`header\n${"x".repeat(10_000)}`, 240).text);
    expect(head.startsWith("header\nxxxxxxxxxx")).toBe(true);
  });

  it("cuts between code points", () => {
    for (let limit = 1; limit < 120; limit++) {
      const { text } = cut("😀".repeat(500), limit);
      expect(LONE_SURROGATE.test(text)).toBe(false);
    }
  });

  it("keeps the head alone where the limit is too small for two sides", () => {
    const { text } = cut(numbered, 65);
    const { head, tail } = sides(text);
    expect(head.startsWith("line 0000\n")).toBe(true);
    expect(tail).toBe("");
  });

  it("has a bare marker, then none, where the limit is smaller still", () => {
    expect(cut(numbered, 30).text).toMatch(/^line 0000\n.*\[…\]$/s);
    expect(cut(numbered, 3).text).toBe("lin");
    expect(cut(numbered, 0)).toEqual({ text: "", tokens: 0, cut: true });
    expect(cut(numbered, -5).text).toBe("");
  });

  it("counts a part of a line as no line, and an open last line as one", () => {
    const text = `${"a".repeat(500)}\nsecond line\n${"b".repeat(500)}`;
    expect(sides(cut(text, 200).text).marker).toMatch(/^\[… 1 line \(/);
    const open = `${"x".repeat(60)}\n`.repeat(10) + "y".repeat(60);
    const { text: headOnly } = cut(open, 60);
    expect(headOnly).toMatch(/10 lines \(\d+ tokens\) left out/);
  });

  it("never has more tokens than the limit, and keeps whole lines of both ends, for any text and any count", () => {
    const line = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.nat(3_000).map((length) => "long ".repeat(length).slice(0, length)),
    );
    const texts = fc
      .tuple(fc.array(line, { maxLength: 60 }), fc.boolean())
      .map(([lines, ended]) => lines.join("\n") + (ended ? "\n" : ""));
    const counts = fc.constantFrom(quarter, words, characters, growing);
    const handles = fc.constantFrom(null, "h-0123456789ab");
    fc.assert(
      fc.property(texts, fc.nat(2_000), counts, handles, (text, limit, count, handle) => {
        const result = cut(text, limit, count, handle);
        expect(result.tokens).toBe(count(result.text));
        expect(result.tokens).toBeLessThanOrEqual(limit);
        expect(result.cut).toBe(count(text) > limit);
        if (!result.cut) {
          expect(result.text).toBe(text);
          return;
        }
        if (!text.includes("[…") && MARKER.test(result.text)) {
          const { head, tail } = sides(result.text);
          const kept = text.startsWith(head) ? head : head.slice(0, -1);
          expect(text.startsWith(kept)).toBe(true);
          expect(text.endsWith(tail)).toBe(true);
          expect(kept.length + tail.length).toBeLessThan(text.length);
        }
        if (!LONE_SURROGATE.test(text)) expect(LONE_SURROGATE.test(result.text)).toBe(false);
      }),
      { numRuns: 1_500 },
    );
  });

  it("keeps only whole lines where no line is longer than a side", () => {
    const lines = fc.array(fc.stringMatching(/^[a-z ]{0,15}$/), { minLength: 30, maxLength: 200 });
    fc.assert(
      fc.property(lines, fc.integer({ min: 120, max: 400 }), (list, limit) => {
        const text = list.join("\n");
        const result = cut(text, limit);
        if (!result.cut) return;
        const { head, tail } = sides(result.text);
        expect(head).toBe(text.slice(0, head.length));
        expect(head === "" || head.endsWith("\n")).toBe(true);
        expect(tail === "" || text[text.length - tail.length - 1] === "\n").toBe(true);
        // No more than a line's length of the limit is given away.
        expect(result.tokens).toBeGreaterThan(limit - 16 - 8);
      }),
      { numRuns: 500 },
    );
  });

  it("uses the limit of a real encoding well, and never exceeds it", () => {
    const tokenizer = tokenizers["o200k_base"]?.();
    const count = (text: string) => tokenizer?.count(text) ?? Number.NaN;
    const samples = [
      numbered,
      "a".repeat(200_000),
      JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, name: `item ${id}`, ok: id % 2 === 0 }))),
      "文件不存在，请检查路径。\n".repeat(2_000),
      "😀🏳️‍🌈\n".repeat(2_000),
      `${" ".repeat(50_000)}\n\n\n${"\t".repeat(50_000)}`,
    ];
    for (const text of samples) {
      for (const limit of [5, 20, 60, 200, 1_000]) {
        const { text: shorter, tokens } = truncateHeadTail(text, {
          limitTokens: limit,
          count,
          handle: "h-0123456789ab",
        });
        expect(tokens).toBe(count(shorter));
        expect(tokens).toBeLessThanOrEqual(limit);
        if (limit >= 200 && count(text) > 2 * limit) expect(tokens).toBeGreaterThan(0.75 * limit);
      }
    }
  });

  it("asks for counts in proportion to the limit, beside one count of the whole", () => {
    const asked = (text: string, limit: number) => {
      let counted = 0;
      const count = (piece: string) => {
        counted += piece.length;
        return quarter(piece);
      };
      truncateHeadTail(text, { limitTokens: limit, count, handle: null });
      return counted - text.length;
    };
    for (const unit of ["x", "a line of text\n", "\n"]) {
      const small = asked(unit.repeat(200_000 / unit.length), 1_000);
      const large = asked(unit.repeat(4_000_000 / unit.length), 1_000);
      expect(large).toBeLessThan(1.2 * small + 2_000);
      expect(large).toBeLessThan(20 * 4_000);
    }
  });
});
