import { describe, expect, it } from "vitest";
import { tokenizers } from "../../src/tokens/registry.ts";
import { fuzzText, seeded } from "../tokens/fuzz-texts.ts";

for (const [name, make] of Object.entries(tokenizers)) {
  describe(`tokenizer ${name}`, () => {
    const tokenizer = make();

    it("is named as it is registered", () => {
      expect(tokenizer.name).toBe(name);
    });

    it("counts nothing as 0 and anything as at least 1", () => {
      expect(tokenizer.count("")).toBe(0);
      for (const text of ["a", " ", "\n", "\u4e2d", "\ud800", "\u0000"])
        expect(tokenizer.count(text)).toBeGreaterThan(0);
    });

    it("takes special tokens for plain text", () => {
      expect(tokenizer.count("<|endoftext|>")).toBeGreaterThan(1);
    });

    it("gives whole numbers, the same for the same text, no more than its UTF-8 bytes", () => {
      const random = seeded(7);
      for (let i = 0; i < 300; i++) {
        const text = fuzzText(random);
        const tokens = tokenizer.count(text);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokenizer.count(text)).toBe(tokens);
        expect(tokens).toBeLessThanOrEqual(Buffer.byteLength(text));
      }
    });

    it("gives the count of a text in slices as of the whole", () => {
      if (tokenizer.countInSlices === undefined) return;
      const text = "const answer = 42;\n".repeat(500);
      const slices = tokenizer.countInSlices(text, 100);
      let slice = slices.next();
      while (!slice.done) slice = slices.next();
      expect(slice.value).toBe(tokenizer.count(text));
    });

    it("gets through long runs of one character", () => {
      for (const run of ["a", " ", "=", "\n", "\u4e2d"]) expect(tokenizer.count(run.repeat(20_000))).toBeGreaterThan(0);
    });
  });
}
