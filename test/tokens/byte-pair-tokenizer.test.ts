import { get_encoding } from "tiktoken";
import { describe, expect, it } from "vitest";
import { ENCODINGS } from "../../src/tokens/ranks.ts";
import { tokenizers } from "../../src/tokens/registry.ts";
import { fuzzText, seeded } from "./fuzz-texts.ts";

/** Another one finds other texts; a failure names text and seed. */
const SEED = 20_260_731;
const FUZZ_TEXTS = 20_000;

const TRICKY: readonly string[] = [
  "",
  " ",
  "  ",
  "   a",
  "\t\tx",
  "\n",
  "\r\n\r\n  x",
  "a \n \n b",
  "trailing   ",
  "trailing \n",
  "I'm you'RE we'LL they'Ve'",
  "a'\u017f b'\u212a 'S's",
  "'s",
  "'ll 'L",
  "HTTPServer parseXMLDoc ABCdef ABC",
  // One token of the vocabulary, which the split before the capitals keeps from ever being used.
  " \u5929\u5929\u4e2d\u5f69\u7968APP",
  "\u4e2d\u6587ABCabc\u4e2dABC",
  "\u01c5abc \u01c4ABC",
  "A\u0301B\u0301c\u0301 \u0301 \u0301abc \u0301\u0301",
  "\u0301",
  " \u0301\n",
  "x\u02b0Y \u02b0",
  "1234567890 12 1",
  "\u0661\u0662\u0663\u0664\u2167\u00b2\u00be",
  "a/b//c/\n/d ;\n/\n//\r\n/ x",
  "<|endoftext|><|im_start|>system<|fim_prefix|>",
  "\ud800",
  "a\udc00\ud800b\ud83d",
  "\ud83d\ude00\ud83d",
  "\ufeffabc\u0085def\u3000\u3000ghi\u00a0 \u2028x",
  "\u200b\u200dx\u200b",
  "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{1f1e9}\u{1f1ea} \u2764\ufe0f",
  "\u{1d400}\u{1d41a}\u{1d7d8}",
  "a".repeat(95),
  "a".repeat(96),
  "a".repeat(97),
  "ab".repeat(500),
  " ".repeat(1000),
  `${" ".repeat(500)}x`,
  "\n".repeat(700),
  "=".repeat(3001),
  "\u4e2d".repeat(400),
  "\0\x01\x7f",
  '{"a": [1, 2.50, null], "b\\n": "\\u00e9"}',
];

for (const encoding of ENCODINGS) {
  describe(`the ${encoding} counter`, () => {
    const tokenizer = tokenizers[encoding]!();
    const oracle = get_encoding(encoding);
    const expected = (text: string) => oracle.encode(text, [], []).length;

    it.each(TRICKY)("agrees with tiktoken on the tricky text %j", (text) => {
      expect(tokenizer.count(text)).toBe(expected(text));
    });

    it(`agrees with tiktoken on ${FUZZ_TEXTS} random texts`, () => {
      const random = seeded(SEED);
      for (let i = 0; i < FUZZ_TEXTS; i++) {
        const text = fuzzText(random);
        const counted = tokenizer.count(text);
        const truth = expected(text);
        if (counted !== truth) expect.fail(`seed ${SEED}, text ${i}: ${counted} for ${truth}: ${JSON.stringify(text)}`);
      }
    });

    it("gives a text it has seen the same count again", () => {
      const random = seeded(SEED + 1);
      const texts = Array.from({ length: 200 }, () => fuzzText(random));
      const first = texts.map((text) => tokenizer.count(text));
      expect(texts.map((text) => tokenizer.count(text))).toEqual(first);
    });

    it("agrees with tiktoken on a long text of many pieces, whole and in slices", () => {
      const random = seeded(SEED + 2);
      let text = "";
      while (text.length < 150_000) text += fuzzText(random);
      const truth = expected(text);
      expect(tokenizer.count(text)).toBe(truth);
      const slices = tokenizer.countInSlices!(text, 4096);
      let pauses = 0;
      let slice = slices.next();
      for (; !slice.done; slice = slices.next()) pauses++;
      expect(slice.value).toBe(truth);
      expect(pauses).toBeGreaterThan(20);
    });

    it("takes near linear time on one character", () => {
      const time = (length: number) => {
        const text = "a".repeat(length);
        let best = Number.POSITIVE_INFINITY;
        for (let round = 0; round < 3; round++) {
          const start = process.cpuUsage();
          tokenizer.count(text);
          const used = process.cpuUsage(start);
          best = Math.min(best, used.user + used.system);
        }
        return best;
      };
      time(50_000);
      // Eight times the text: about nine times the work with a heap, 64 times with a quadratic merge.
      expect(time(400_000) / time(50_000)).toBeLessThan(24);
    });
  });
}
