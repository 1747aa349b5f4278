import { describe, expect, it } from "vitest";
import { stopReason } from "../../../src/window/overflow/index.ts";

const half = { promptTokens: 60_000, outputTokens: 4_000, windowTokens: 128_000 };
const full = { promptTokens: 124_000, outputTokens: 2_000, windowTokens: 128_000 };

describe("a stop reason", () => {
  it.each([
    ["model_context_window_exceeded", "Anthropic, Z.ai"],
    ["modelContextWindowExceeded", "Strands"],
    ["context_window_exceeded", "gateways"],
    ["context_length_exceeded", "gateways"],
    ["contextLengthReached", "LM Studio"],
    ["model_length", "Mistral"],
    ["ERROR_LIMIT", "Cohere"],
  ])("%s says that the window is full, whatever the figures (%s)", (reason) => {
    expect(stopReason(reason, half)).toBe("context_full");
    expect(stopReason(reason, { promptTokens: null, outputTokens: null, windowTokens: 0 })).toBe("context_full");
  });

  it.each(["length", "max_tokens", "MAX_TOKENS", "maxTokens", "max_output_tokens", "limit", "truncated"])(
    "%s means the window only where prompt and output fill it",
    (reason) => {
      expect(stopReason(reason, full)).toBe("context_full");
      expect(stopReason(reason, half)).toBe("output_cut");
      expect(stopReason(reason, { promptTokens: null, outputTokens: 4_000, windowTokens: 128_000 })).toBe("output_cut");
      expect(stopReason(reason, { ...full, windowTokens: 0 })).toBe("output_cut");
    },
  );

  it("counts the window as full from 98 %", () => {
    const at = (promptTokens: number) => stopReason("length", { promptTokens, outputTokens: 80, windowTokens: 1000 });
    expect(at(900)).toBe("context_full");
    expect(at(899)).toBe("output_cut");
  });

  it("needs no more than the prompt where that alone fills it", () => {
    expect(stopReason("length", { promptTokens: 128_000, outputTokens: null, windowTokens: 128_000 })).toBe(
      "context_full",
    );
  });

  it.each([
    "stop",
    "end_turn",
    "STOP",
    "tool_calls",
    "tool_use",
    "content_filter",
    "refusal",
    "eos",
    "",
    "x".repeat(9999),
  ])("%s is no cut", (reason) => {
    expect(stopReason(reason, full)).toBeNull();
  });

  it("is nothing where none is told", () => {
    expect(stopReason(null, full)).toBeNull();
  });
});
