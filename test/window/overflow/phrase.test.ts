import { describe, expect, it } from "vitest";
import { matchPhrase, phrase } from "../../../src/window/overflow/phrase.ts";
import { normalized } from "../../../src/window/overflow/refusal-text.ts";

function numbers(template: string, text: string) {
  return matchPhrase(phrase(template), normalized(text))?.numbers ?? null;
}

describe("a phrase", () => {
  it("finds its numbers anywhere in a text, in any case and quotation", () => {
    expect(numbers("the model's limit is {limit}", 'error: "THE MODEL\\u2019S  limit\\n is 4,096."')).toEqual({
      limit: 4096,
    });
  });

  it("skips words at a gap, and the first numbers that do not go on as it does", () => {
    expect(numbers("limit {limit}…got {input} tokens", "limit 10, got 5 apples and so got 12 tokens")).toEqual({
      limit: 10,
      input: 12,
    });
  });

  it("does not reach over more than a sentence", () => {
    expect(numbers("limit {limit}…got {input} tokens", `limit 10 ${"x".repeat(300)} got 12 tokens`)).toBeNull();
  });

  it("adds up the parts of a prompt", () => {
    expect(numbers("about {input} of text, {also} of tools", "about 658 of text, 732 of tools")).toEqual({
      input: 1390,
    });
  });

  it("tries a later place where the first one breaks off", () => {
    expect(numbers("limit {limit} tokens", "limit 5 apples, limit 6 tokens")).toEqual({ limit: 6 });
  });

  it.each(["limit 5k tokens", "limit tokens", "limit 5", "limit 12345678901 tokens"])("is not said by: %s", (text) => {
    expect(numbers("limit {limit} tokens", text)).toBeNull();
  });
});
