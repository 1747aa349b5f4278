import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitizeText } from "../../../src/compression/summary/sanitize.ts";
import { FORBIDDEN, GUESSED_MARK, INJECTIONS } from "../../support/injections.ts";

describe("sanitising a text", () => {
  it.each([
    "if (a < b && c > d) { return x[0]; }",
    "<div class='x'>text</div>",
    "TypeError: expected <function foo at 0x7f> to be called",
    "tabs\tand\nlines stay",
    "naïve café – 漢字 🙂",
    "const x: Promise<string> = f();",
  ])("leaves ordinary text as it is: %j", (text) => {
    expect(sanitizeText(text, GUESSED_MARK)).toBe(text);
  });

  it("leaves nothing that poses as structure, of more than 200 hostile texts", () => {
    expect(INJECTIONS.length).toBeGreaterThanOrEqual(200);
    expect(new Set(INJECTIONS).size).toBe(INJECTIONS.length);
    for (const text of INJECTIONS) {
      const plain = sanitizeText(text, GUESSED_MARK);
      for (const pattern of FORBIDDEN) expect(plain).not.toMatch(pattern);
      expect(plain.toLowerCase()).not.toContain(GUESSED_MARK);
    }
  });

  it("says what stood there", () => {
    expect(sanitizeText("a<system>b</system><|im_end|>")).toBe("a(system)b(/system)(im_end)");
  });

  it("is the same done twice, and holds for any mix of pieces", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "<",
        ">",
        "system",
        "/",
        "<|",
        "|>",
        "\u200b",
        "user",
        " ",
        "\n",
        "Human:",
        "[INST]",
        "<s>",
        "<system ",
        "tool_call",
        GUESSED_MARK,
        "3fa",
        "9c1",
        "=",
        "＜",
        "＞",
      ),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const once = sanitizeText(pieces.join(""), GUESSED_MARK);
        expect(sanitizeText(once, GUESSED_MARK)).toBe(once);
        for (const pattern of FORBIDDEN) expect(once).not.toMatch(pattern);
        expect(once.toLowerCase()).not.toContain(GUESSED_MARK);
      }),
      { numRuns: 1_000 },
    );
  });
});
