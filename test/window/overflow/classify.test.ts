import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/model/json.ts";
import { classifyRefusal } from "../../../src/window/overflow/index.ts";
import { recordedRefusals } from "../../support/refusals.ts";

const NO_NUMBERS = { inputTokens: null, outputTokens: null, limit: null };
const TOO_LONG = "prompt is too long: 208310 tokens > 200000 maximum";

describe("a recorded refusal", () => {
  it.each(recordedRefusals.map((refusal) => [refusal.name, refusal] as const))("%s", (_name, { error, expected }) => {
    expect(classifyRefusal(error)).toMatchObject(expected);
  });

  it("is on record with a public address, and with enough of each kind", () => {
    const overflows = recordedRefusals.filter(({ expected }) => expected.kind === "context_length");
    const others = recordedRefusals.filter(
      ({ expected }) => !["context_length", "request_size"].includes(expected.kind),
    );
    expect(overflows.length).toBeGreaterThanOrEqual(40);
    expect(others.length).toBeGreaterThanOrEqual(12);
    for (const { source } of recordedRefusals) expect(source).toMatch(/^https:\/\/[a-z.]+\/\S+$/);
    expect(new Set(recordedRefusals.map(({ name }) => name)).size).toBe(recordedRefusals.length);
  });

  it("says the same as a text, as JSON in a text, as JSON in JSON and as an item of a list", () => {
    for (const { error, expected } of recordedRefusals) {
      const asText = typeof error === "string" ? error : JSON.stringify(error);
      const forms: Json[] = [
        asText,
        JSON.stringify({ wrapped: asText }),
        { a: [JSON.stringify({ raw: asText })] },
        [error],
      ];
      for (const form of forms) {
        const { kind, inputTokens, outputTokens, limit } = classifyRefusal(form);
        expect({ kind, inputTokens, outputTokens, limit }, asText).toEqual({
          kind: expected.kind,
          inputTokens: expected.inputTokens,
          outputTokens: expected.outputTokens,
          limit: expected.limit,
        });
      }
    }
  });
});

describe("an error that says nothing of size", () => {
  const nothing = { provider: "unknown", kind: "unknown", ...NO_NUMBERS, rule: "unknown" };

  it.each<[string, Json | undefined]>([
    ["nothing", undefined],
    ["null", null],
    ["an empty text", ""],
    ["an empty object", {}],
    ["a number", 400],
    ["a status without a body", "400 status code (no body)"],
    ["a list of nothings", [null, [], {}]],
  ])("%s is unknown", (_name, error) => {
    expect(classifyRefusal(error)).toEqual(nothing);
  });

  it("is a matter of bytes where only the status 413 is told", () => {
    expect(classifyRefusal("413 status code (no body)").kind).toBe("request_size");
    expect(classifyRefusal({ status: 413, body: "" }).kind).toBe("request_size");
  });

  it("is another failure where the provider was not reached", () => {
    expect(classifyRefusal({ name: "Error", code: "ECONNREFUSED", syscall: "connect" }).kind).toBe("other");
  });
});

describe("numbers", () => {
  it.each([
    ["208,310", "200,000"],
    ["208_310", "200_000"],
    ["208.310", "200.000"],
  ])("are read with their separators: %s", (input, limit) => {
    expect(classifyRefusal(`prompt is too long: ${input} tokens > ${limit} maximum`)).toMatchObject({
      inputTokens: 208_310,
      limit: 200_000,
    });
  });

  it.each(["99999999999", "1e6", "12,34", "0x10", "-5", "200k"])("that are none are not made up: %s", (limit) => {
    expect(classifyRefusal(`prompt is too long: 7 tokens > ${limit} maximum`)).toMatchObject({
      kind: "context_length",
      ...NO_NUMBERS,
    });
  });

  it("are not taken from a window of nought", () => {
    expect(classifyRefusal("prompt is too long: 7 tokens > 0 maximum").limit).toBeNull();
  });
});

describe("an error that holds more than the provider's words", () => {
  it("is not read where it repeats the request", () => {
    const request = { messages: [{ role: "user", content: TOO_LONG }] };
    for (const error of [
      { message: "Bad things", requestBodyValues: request },
      { message: "Bad things", config: { data: JSON.stringify(request) } },
      { detail: [{ msg: "Field required", input: request }] },
      { message: "Bad things", ...request },
    ]) {
      expect(classifyRefusal(error as Json).kind).toBe("unknown");
    }
  });

  it("is read at its beginning and at its end", () => {
    const trace = "  at step (file.ts:1:1)\n".repeat(20_000);
    expect(classifyRefusal(`${TOO_LONG}\n${trace}`).limit).toBe(200_000);
    expect(classifyRefusal(`${trace}\n${TOO_LONG}`).limit).toBe(200_000);
    expect(classifyRefusal({ stack: trace, message: TOO_LONG }).limit).toBe(200_000);
  });

  it("is believed where it tells the window rather than where it tells another failure", () => {
    expect(classifyRefusal(`Rate limit reached, fell back: ${TOO_LONG}`)).toMatchObject({
      kind: "context_length",
      limit: 200_000,
    });
    expect(classifyRefusal("Overloaded. Mind your context window.").kind).toBe("other");
  });

  it("names the sender that stands nearest", () => {
    expect(classifyRefusal(`BedrockException: timeout. Fallback: AnthropicException: ${TOO_LONG}`).provider).toBe(
      "anthropic",
    );
    expect(classifyRefusal(`AnthropicException: timeout. Fallback: BedrockException: ${TOO_LONG}`).provider).toBe(
      "bedrock",
    );
  });
});
