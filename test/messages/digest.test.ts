import { describe, expect, it } from "vitest";
import { chain, messageDigest, messageFormats, partDigest } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";

function digest(format: MessageFormatName, wire: JsonObject): string {
  const { role, parts } = messageFormats[format].split(wire, "m");
  return messageDigest(role, parts.map(partDigest));
}

const call = (changes: JsonObject = {}): JsonObject => ({
  type: "tool_use",
  id: "a",
  name: "read",
  input: { x: 1, y: 2 },
  ...changes,
});
const marked: JsonObject = { cache_control: { type: "ephemeral" } };

const SAME: readonly [string, MessageFormatName, JsonObject, JsonObject][] = [
  [
    "a string and its one text part",
    "openai",
    { role: "user", content: "x" },
    { role: "user", content: [{ type: "text", text: "x" }] },
  ],
  [
    "null, absent and empty content",
    "openai",
    { role: "assistant", content: null },
    { role: "assistant", content: "" },
  ],
  ["a system and a developer message", "openai", { role: "system", content: "x" }, { role: "developer", content: "x" }],
  [
    "a raw response and its message",
    "openai",
    { role: "assistant", content: "x", refusal: null, annotations: [{ type: "url" }], reasoning_content: "hm" },
    { role: "assistant", content: "x" },
  ],
  [
    "a result as a string and as a text part",
    "openai",
    { role: "tool", tool_call_id: "a", content: "x" },
    { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "x" }] },
  ],
  [
    "a moved cache mark",
    "anthropic",
    {
      role: "user",
      content: [
        { type: "text", text: "x", ...marked },
        { type: "document", title: "t", ...marked },
      ],
    },
    {
      role: "user",
      content: [
        { type: "text", text: "x" },
        { type: "document", title: "t" },
      ],
    },
  ],
  [
    "a message whose thinking was left out",
    "anthropic",
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "text", text: "x" },
      ],
    },
    { role: "assistant", content: "x" },
  ],
  [
    "an input with its keys in another order",
    "anthropic",
    { role: "assistant", content: [call()] },
    { role: "assistant", content: [call({ input: { y: 2, x: 1 } })] },
  ],
  [
    "a result with and without the flag that it is no error",
    "anthropic",
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x", is_error: false }] },
  ],
];

const DIFFERENT: readonly [string, MessageFormatName, JsonObject, JsonObject][] = [
  ["roles", "openai", { role: "user", content: "x" }, { role: "assistant", content: "x" }],
  ["texts", "openai", { role: "user", content: "x" }, { role: "user", content: "x " }],
  [
    "calls that are answered",
    "openai",
    { role: "tool", tool_call_id: "a", content: "x" },
    { role: "tool", tool_call_id: "b", content: "x" },
  ],
  [
    "older function calls",
    "openai",
    { role: "assistant", content: null, function_call: { name: "f" } },
    { role: "assistant", content: null, function_call: { name: "g" } },
  ],
  [
    "inputs",
    "anthropic",
    { role: "assistant", content: [call()] },
    { role: "assistant", content: [call({ input: {} })] },
  ],
  [
    "ids and names that run together",
    "anthropic",
    { role: "assistant", content: [call({ id: "a", name: "bc" })] },
    { role: "assistant", content: [call({ id: "ab", name: "c" })] },
  ],
  [
    "images in results",
    "anthropic",
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "image", source: { url: "1" } }] }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "image", source: { url: "2" } }] }],
    },
  ],
];

describe("a message's digest", () => {
  it.each(SAME)("is the same for %s", (_what, format, one, other) => {
    expect(digest(format, one)).toBe(digest(format, other));
  });

  it.each(DIFFERENT)("differs for different %s", (_what, format, one, other) => {
    expect(digest(format, one)).not.toBe(digest(format, other));
  });

  it("is 32 hex digits", () => {
    expect(digest("openai", { role: "user", content: "x" })).toMatch(/^[0-9a-f]{32}$/);
    expect(chain("", digest("openai", { role: "user", content: "x" }))).toMatch(/^[0-9a-f]{32}$/);
  });

  it("tells of the order of a chain", () => {
    expect(chain(chain("", "a"), "b")).not.toBe(chain(chain("", "b"), "a"));
  });
});
