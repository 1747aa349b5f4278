import { describe, expect, it } from "vitest";
import { estimateContext, keptOutputTokens, promptTokens } from "../../src/tokens/context-estimate.ts";

const anchor = { tokens: 12_000, rawTokens: 10_000, source: "anchored" } as const;

describe("estimateContext", () => {
  it("is the anchor itself while nothing has changed", () => {
    expect(estimateContext({ rawTokens: 10_000, anchor, factor: 1.4, exactEncoding: false })).toEqual({
      tokens: 12_000,
      source: "anchored",
    });
  });

  it("adds what came since, calibrated, and takes off what was freed", () => {
    const at = (rawTokens: number) => estimateContext({ rawTokens, anchor, factor: 1.2, exactEncoding: false }).tokens;
    expect(at(11_000)).toBe(13_200);
    expect(at(5_000)).toBe(6_000);
  });

  it("never falls below nothing", () => {
    expect(estimateContext({ rawTokens: 0, anchor, factor: 3, exactEncoding: true }).tokens).toBe(0);
  });

  it("tells a size the model reported from one anchored on usage", () => {
    const reported = { ...anchor, source: "model_reported" } as const;
    expect(estimateContext({ rawTokens: 10_000, anchor: reported, factor: 1, exactEncoding: true }).source).toBe(
      "model_reported",
    );
  });

  it("adds 5 % only where nothing anchors it and the encoding is not the model's own", () => {
    const input = { rawTokens: 10_000, anchor: null, factor: 1.1 };
    expect(estimateContext({ ...input, exactEncoding: false })).toEqual({ tokens: 11_550, source: "estimated" });
    expect(estimateContext({ ...input, exactEncoding: true })).toEqual({ tokens: 11_000, source: "estimated" });
  });
});

describe("reported usage", () => {
  const usage = {
    input_tokens: 1000,
    output_tokens: 300,
    cache_read_input_tokens: 700,
    cache_creation_input_tokens: 200,
    reasoning_tokens: 120,
  };

  it("counts Anthropic's cached tokens on top, OpenAI's as part of the input", () => {
    expect(promptTokens("anthropic", usage)).toBe(1900);
    expect(promptTokens("openai", usage)).toBe(1000);
  });

  it("keeps Anthropic's thinking and drops OpenAI's hidden reasoning", () => {
    expect(keptOutputTokens("anthropic", usage)).toBe(300);
    expect(keptOutputTokens("openai", usage)).toBe(180);
    expect(keptOutputTokens("openai", { input_tokens: 1 })).toBe(0);
  });
});
