import { describe, expect, it } from "vitest";
import { messageFormats, type RenderedContext, trimCacheMarks } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";

const mark = { type: "ephemeral" };

function marked(text: string): JsonObject {
  return { role: "user", content: [{ type: "text", text, cache_control: mark }] };
}

describe("cache marks over the provider's limit", () => {
  const system = [{ type: "text", text: "Be careful.", cache_control: mark }];

  it("are taken off the oldest messages, and nothing else is", () => {
    const messages = [marked("a"), { role: "assistant", content: "x" }, marked("b"), marked("c"), marked("d")];
    const context: RenderedContext = { system, messages };
    expect(messageFormats.anthropic.check(context)).toMatchObject([{ rule: "cache_control_limit" }]);
    const trimmed = trimCacheMarks(context, 4);
    expect(messageFormats.anthropic.check(trimmed)).toEqual([]);
    expect(trimmed.messages).toEqual([{ role: "user", content: [{ type: "text", text: "a" }] }, ...messages.slice(1)]);
    expect(trimmed.messages[4]).toBe(messages[4]);
    expect(messages[0]).toEqual(marked("a"));
  });

  it("are found in tool results too", () => {
    const content = [{ type: "text", text: "x", cache_control: mark }];
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content, cache_control: mark }] };
    expect(trimCacheMarks({ messages: [result, marked("b")] }, 1).messages[0]).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x" }] }],
    });
  });

  it("within the limit leave the context as it is", () => {
    const context: RenderedContext = { system, messages: [marked("a"), marked("b")] };
    expect(trimCacheMarks(context, 4)).toBe(context);
  });
});
