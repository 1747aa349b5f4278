import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/model/json.ts";
import { classifyRefusal, providers } from "../../../src/window/overflow/index.ts";
import { recordedRefusals } from "../../support/refusals.ts";

const RULES = new Set(["unknown", ...providers.flatMap(({ rules }) => rules.map(({ name }) => name))]);
const PROVIDERS = new Set(["unknown", ...providers.map(({ name }) => name)]);
const KINDS = ["context_length", "output_length", "request_size", "tokens_per_minute", "other", "unknown"];

/** Every number that stands in a text, with and without separators of thousands. */
function numbersIn(text: string): Set<number> {
  const found = new Set<number>();
  for (const [run] of text.matchAll(/\d[\d,._]*/g)) {
    for (const [digits] of run.matchAll(/\d+/g)) found.add(Number(digits));
    for (let at = 0; at < run.length; at++) {
      const grouped = /^\d{1,3}(?:[,._]\d{3})+/.exec(run.slice(at))?.[0] ?? "";
      for (let end = 5; end <= grouped.length; end += 4) found.add(Number(grouped.slice(0, end).replace(/\D/g, "")));
      if (grouped !== "") found.add(Number(grouped.replace(/\D/g, "")));
    }
  }
  return found;
}

function isSound(error: Json | undefined): void {
  const { provider, kind, rule, inputTokens, outputTokens, limit } = classifyRefusal(error);
  expect(PROVIDERS).toContain(provider);
  expect(KINDS).toContain(kind);
  expect(RULES).toContain(rule);
  const told = numbersIn(typeof error === "string" ? error : JSON.stringify(error ?? null));
  const sums = new Set(told);
  for (const one of told) for (const other of told) sums.add(one + other);
  for (const number of [outputTokens, limit]) if (number !== null) expect(told).toContain(number);
  if (inputTokens !== null) expect(sums).toContain(inputTokens);
  if (limit !== null) expect(limit).toBeGreaterThan(0);
}

const texts = recordedRefusals.map(({ error }) => (typeof error === "string" ? error : JSON.stringify(error)));
const words = [...new Set(texts.flatMap((text) => text.split(/(?<=[ :,.>()])/)))];

/** A recorded text with pieces taken out, doubled, swapped for another's, or strange characters put in. */
const mutated = fc
  .tuple(
    fc.constantFrom(...texts),
    fc.array(
      fc.record({
        at: fc.nat(400),
        remove: fc.nat(12),
        insert: fc.oneof(
          fc.string(),
          fc.string({ unit: "binary" }),
          fc.constantFrom(...words),
          fc.nat().map(String),
          fc.constantFrom(
            "\\",
            "\\\\n",
            "\\u2019",
            '"',
            ",",
            "9".repeat(20),
            "1,000,000",
            "0",
            "İ",
            "\ud800",
            "\u0000",
          ),
        ),
      }),
      { maxLength: 6 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((now, { at, remove, insert }) => now.slice(0, at) + insert + now.slice(at + remove), text),
  );

describe("whatever an agent reports", () => {
  it("any JSON is classified without a throw and without a number that it does not tell", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (error) => isSound(error as Json)),
      { numRuns: 500 },
    );
  });

  it("any change of a recorded text is classified without a number that it does not tell", () => {
    fc.assert(fc.property(mutated, isSound), { numRuns: 2000 });
  });

  it("any text of the providers' own words, in any order, is classified so too", () => {
    const jumble = fc.array(fc.oneof(fc.constantFrom(...words), fc.nat().map(String)), { maxLength: 60 });
    fc.assert(
      fc.property(jumble, (parts) => isSound(parts.join(""))),
      { numRuns: 1000 },
    );
  });

  it("a recorded refusal stays what it is under any keys that an SDK puts around it", () => {
    const keys = fc
      .string()
      .filter((key) => !/^(config|headers|input|messages|options|prompt|request|tools)/i.test(key));
    fc.assert(
      fc.property(
        fc.constantFrom(...recordedRefusals),
        fc.array(keys, { maxLength: 5 }),
        ({ error, expected }, path) => {
          let wrapped: Json = error;
          for (const key of path) wrapped = { [key]: wrapped };
          expect(classifyRefusal(wrapped).limit).toBe(expected.limit);
        },
      ),
      { numRuns: 300 },
    );
  });
});

const MIB = 1 << 20;

describe("a hostile text of two megabytes", () => {
  it.each([
    ["one letter", "a"],
    ["digits", "1"],
    ["grouped digits", "1,000,"],
    ["backslashes", "\\"],
    ["escapes", "\\\\n\\u2019"],
    ["spaces", " "],
    ["quotes", "'"],
    ["braces", '{"a":'],
    ["the beginning of a phrase", "maximum context length is "],
    ["the first half of a phrase", "maximum context length is 5 tokens "],
    ["a phrase without its end", "maximum context length is 5 tokens. you requested 7 tokens (3 in the messages, "],
    ["many beginnings", "prompt is too long: 1 tokens > input length and max_tokens exceed context limit: 1 + "],
    ["hints", "bedrock azure openrouter "],
  ])("of %s is classified", (_name, piece) => {
    const text = piece.repeat(Math.ceil((2 * MIB) / piece.length));
    isSound(text.slice(0, 2 * MIB));
    expect(classifyRefusal({ error: { message: text } })).toBeDefined();
  });

  it("in a hundred thousand members or a depth of ten thousand is classified", () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, "maximum context length is"]));
    expect(classifyRefusal(wide)).toBeDefined();
    expect(classifyRefusal(Array.from({ length: 100_000 }, () => wide))).toBeDefined();
    let deep: Json = "prompt is too long: 5 tokens > 3 maximum";
    for (let n = 0; n < 10_000; n++) deep = n % 2 ? [deep] : { deep };
    expect(classifyRefusal(deep).kind).toBe("unknown");
    expect(classifyRefusal(JSON.parse('{"__proto__":{"message":"prompt is too long"},"constructor":1}')).kind).toBe(
      "context_length",
    );
  });
});
