import { describe, expect, it } from "vitest";
import { isClearedResult, messageFormats, providerSummary, reportedEdits } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { textOf } from "../../src/model/part.ts";

const { openai, anthropic } = messageFormats;

function assistant(...content: JsonObject[]): JsonObject {
  return { role: "assistant", content };
}

const written = { type: "compaction", content: "We mend the parser.", encrypted_content: null, signature: "c2ln" };

describe("a provider's summary", () => {
  it("is recognised in an answer of Anthropic's, reads as its text, and comes back as it was", () => {
    const wire = assistant(written, { type: "text", text: "I go on." });
    const split = anthropic.split(wire, "m");
    expect(split.parts.map(providerSummary)).toEqual([{ hidesEarlier: true }, null]);
    expect(split.parts.map(textOf)).toEqual(["We mend the parser.", "I go on."]);
    expect(anthropic.join(split)).toEqual(wire);
    expect(anthropic.check({ messages: [{ role: "user", content: "Hello." }, wire] })).toEqual([]);
  });

  it("is recognised as OpenAI's compaction item, which nobody else can read, and hides nothing", () => {
    const item = { type: "compaction", id: "cmp_1", encrypted_content: "gAAAA" };
    const [part] = openai.split(assistant(item), "m").parts;
    expect(part && providerSummary(part)).toEqual({ hidesEarlier: false });
    expect(part && textOf(part)).toBe("");
    expect(openai.join(openai.split(assistant(item), "m"))).toEqual(assistant(item));
  });

  it.each([
    ["one that the provider failed to write", { type: "compaction", content: null, encrypted_content: "gAAAA" }],
    ["an empty one", { type: "compaction", content: "" }],
    ["one without anything", { type: "compaction" }],
    ["a text that speaks of it", { type: "text", text: "compaction" }],
  ])("is not %s", (_name, block) => {
    for (const format of [openai, anthropic]) {
      expect(format.split(assistant(block), "m").parts.map(providerSummary)).toEqual([null]);
    }
  });

  it("is never edited", () => {
    const [part] = anthropic.split(assistant(written), "m").parts;
    expect(part && anthropic.withText(part, "shorter")).toBe(part);
  });
});

function result(content: string) {
  return openai.split({ role: "tool", tool_call_id: "a", content }, "m").parts[0] as never;
}

describe("a result that was cleared before it came", () => {
  it.each([
    "[Old tool result content cleared]",
    "[cleared]",
    "[Tool result cleared]",
    "[Old tool result cleared to save context]",
    '[Earlier tool result cleared to save context. Call recall_tool_result("call_42") to retrieve the full output.]',
    "[tool result cleared: 4211 chars]",
    "[Output removed to save context - information no longer needed]",
    "[[NOTE] This file read has been removed to save space in the context window. Refer to the latest file read for the most up to date version of this file.]",
    "Old environment output: (12 lines omitted)",
    "<MASKED>",
    '[cleared result turn 3 read_file "src/parser.ts" 812 tokens h-0123456789ab]',
    "[cleared h-0123456789ab]",
    "  [cleared]\n",
  ])("is recognised: %s", (text) => {
    expect(isClearedResult(result(text))).toBe(true);
    const message = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: text }] };
    expect(anthropic.split(message, "m").parts.map(isClearedResult)).toEqual([true]);
  });

  it.each([
    "",
    "cleared",
    "[]",
    "[cleared] 3 of 4 caches\n[failed] 1",
    "[cache cleared]",
    "[Output of make]",
    "[result removed]\nsecond line",
    "The tool result was cleared.",
    `[Old tool result content cleared] ${"x".repeat(1000)}]`,
  ])("is not one: %s", (text) => {
    expect(isClearedResult(result(text))).toBe(false);
  });

  it("is not one with an image beside the words", () => {
    const content = [
      { type: "text", text: "[cleared]" },
      { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
    ];
    const message = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content }] };
    expect(anthropic.split(message, "m").parts.map(isClearedResult)).toEqual([false]);
  });
});

describe("what a provider reports to have cleared", () => {
  it("is read from the answer's context_management, whatever date its names end in", () => {
    const applied_edits = [
      { type: "clear_tool_uses_20250919", cleared_tool_uses: 8, cleared_input_tokens: 50_000 },
      { type: "clear_thinking_20251015", cleared_thinking_turns: 3, cleared_input_tokens: 15_000 },
      { type: "clear_images_20270101", cleared_input_tokens: 7 },
      { type: "compact_20260112", cleared_input_tokens: 9 },
      { type: "clear_tool_uses_20250919", cleared_tool_uses: 0, cleared_input_tokens: 0 },
    ];
    expect(reportedEdits({ applied_edits })).toEqual([
      { kind: "clear_tool_uses", clearedToolUses: 8, clearedThinkingTurns: 0, clearedInputTokens: 50_000 },
      { kind: "clear_thinking", clearedToolUses: 0, clearedThinkingTurns: 3, clearedInputTokens: 15_000 },
      { kind: "other", clearedToolUses: 0, clearedThinkingTurns: 0, clearedInputTokens: 7 },
    ]);
  });

  it.each([
    undefined,
    null,
    "x",
    [],
    {},
    { applied_edits: "x" },
    { applied_edits: [null, 1, { cleared_input_tokens: -4 }] },
  ])("is nothing in %j", (report) => {
    expect(reportedEdits(report as never)).toEqual([]);
  });
});
