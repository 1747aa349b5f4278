import { describe, expect, it } from "vitest";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { PNG_3_BY_2 } from "../support/message-arbitraries.ts";

const { openai, anthropic } = messageFormats;

describe("an OpenAI message", () => {
  it("of the assistant reads as its text and its parallel calls", () => {
    const calls = [
      { id: "a", type: "function", function: { name: "read", arguments: '{"path": "x"' } },
      { id: "b", type: "custom", custom: { name: "sql", input: "select 1" } },
    ];
    const { role, parts } = openai.split({ role: "assistant", content: "On it.", tool_calls: calls }, "m");
    expect(role).toBe("assistant");
    expect(parts).toEqual([
      { kind: "text", text: "On it.", wire: "On it." },
      { kind: "tool_call", callId: "a", name: "read", argumentsText: '{"path": "x"', wire: calls[0] },
      { kind: "tool_call", callId: "b", name: "sql", argumentsText: "select 1", wire: calls[1] },
    ]);
  });

  it("of a tool reads as one result with the text of all its parts", () => {
    const content = [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ];
    expect(openai.split({ role: "tool", tool_call_id: "a", content }, "m")).toMatchObject({
      role: "tool",
      parts: [{ kind: "tool_result", callId: "a", isError: false, text: "one\ntwo", attachments: [], wire: content }],
    });
  });

  it("of the developer reads as a system message and stays the developer's", () => {
    const message = openai.split({ role: "developer", content: "Be kind." }, "m");
    expect(message.role).toBe("system");
    expect(openai.join(message)).toEqual({ role: "developer", content: "Be kind." });
  });

  it("shows the pixels of an image in a data URL, and its detail", () => {
    const url = `data:image/png;base64,${PNG_3_BY_2}`;
    const content = [
      { type: "image_url", image_url: { url, detail: "high" } },
      { type: "image_url", image_url: { url: "https://images.example/a.png", width: 640, height: 480 } },
      { type: "image_url", image_url: { url: "https://images.example/b.png" } },
    ];
    expect(openai.split({ role: "user", content }, "m").parts).toMatchObject([
      { kind: "image", width: 3, height: 2, detail: "high" },
      { kind: "image", width: 640, height: 480, detail: "auto" },
      { kind: "image", width: null, height: null, detail: "auto" },
    ]);
  });

  it("carries a refusal, an older function call and unknown fields as parts that are counted", () => {
    const wire: JsonObject = {
      annotations: [{ url: "https://pages.example" }],
      role: "assistant",
      refusal: "No.",
      function_call: { name: "f", arguments: "{}" },
      name: "helper",
      content: null,
    };
    const { envelope, parts } = openai.split(wire, "m");
    expect(envelope).toMatchObject({ role: "assistant", name: "helper", content: null });
    expect(parts).toEqual([
      { kind: "other", wire: { annotations: [{ url: "https://pages.example" }] } },
      { kind: "other", wire: { function_call: { name: "f", arguments: "{}" } } },
      { kind: "other", wire: { refusal: "No." } },
    ]);
  });

  it("reads the reasoning that gateways return as thinking, which can be dropped whole", () => {
    const wire = { role: "assistant", content: "4", reasoning_content: "2 + 2" };
    const message = openai.split(wire, "m");
    expect(message.parts[1]).toEqual({ kind: "thinking", text: "2 + 2", wire: { reasoning_content: "2 + 2" } });
    const kept = message.parts.filter((part) => part.kind !== "thinking");
    expect(openai.join({ ...message, parts: kept })).toEqual({ role: "assistant", content: "4" });
  });

  it("whose text was dropped says null beside its calls and the empty string otherwise", () => {
    const call = { id: "a", type: "function", function: { name: "read", arguments: "{}" } };
    const message = openai.split({ role: "assistant", content: "On it.", tool_calls: [call] }, "m");
    const [text, made] = message.parts;
    expect(openai.join({ ...message, parts: [made!] })).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [call],
    });
    expect(openai.join({ ...message, parts: [text!] })).toEqual({ role: "assistant", content: "On it." });
    expect(openai.join({ ...message, parts: [] })).toEqual({ role: "assistant", content: "" });
  });

  it("that was a string becomes a list when it gets a second part", () => {
    const message = openai.compose("user", "one");
    const [part] = message.parts;
    expect(openai.join({ ...message, parts: [part!, part!] })["content"]).toEqual([
      { type: "text", text: "one" },
      { type: "text", text: "one" },
    ]);
  });

  it.each([
    [{ role: "tool", content: "x" }, "m.tool_call_id"],
    [{ role: "assistant", tool_calls: {} }, "m.tool_calls"],
    [{ role: "assistant", tool_calls: [{ type: "function" }] }, "m.tool_calls[0].id"],
    [{ role: "assistant", tool_calls: [{ id: "a", function: "read" }] }, "m.tool_calls[0].function"],
    [{ role: "assistant", tool_calls: [{ id: "a", function: {} }] }, "m.tool_calls[0].function.name"],
    [{ role: "assistant", tool_calls: [{ id: "a" }] }, "m.tool_calls[0].type"],
  ])("is refused when it is %j", (wire, path) => {
    expect(() => openai.split(wire, "m")).toThrow(
      expect.objectContaining({ reason: "invalid_params", data: { path } }),
    );
  });

  it("names a tool of the older kind and a custom one", () => {
    expect(openai.splitTool({ name: "f", parameters: {} }, "t").name).toBe("f");
    expect(openai.splitTool({ type: "custom", custom: { name: "sql" } }, "t").name).toBe("sql");
  });
});

describe("an Anthropic message", () => {
  it("of the assistant reads as thinking, text and calls, the thinking with its signature untouched", () => {
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "redacted_thinking", data: "b3BhcXVl" },
      { type: "text", text: "On it." },
      { type: "tool_use", id: "toolu_1", name: "read", input: { path: "x" } },
    ];
    expect(anthropic.split({ role: "assistant", content }, "m").parts).toEqual([
      { kind: "thinking", text: "Hm.", wire: content[0] },
      { kind: "thinking", text: "", wire: content[1] },
      { kind: "text", text: "On it.", wire: content[2] },
      { kind: "tool_call", callId: "toolu_1", name: "read", argumentsText: '{"path":"x"}', wire: content[3] },
    ]);
  });

  it("of the user reads as results, with what is attached to them, mixed with text", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG_3_BY_2 } };
    const document = { type: "document", source: { type: "text", data: "x" } };
    const shown = { type: "text", text: "shown:" };
    const content = [
      { type: "tool_result", tool_use_id: "toolu_1", content: [shown, image, document, { type: "text", text: "end" }] },
      { type: "tool_result", tool_use_id: "toolu_2", content: "no such file", is_error: true },
      { type: "tool_result", tool_use_id: "toolu_3" },
      { type: "text", text: "Go on." },
    ];
    const attachments = [
      { kind: "image", width: 3, height: 2, detail: "auto", wire: image },
      { kind: "other", wire: document },
    ];
    expect(anthropic.split({ role: "user", content }, "m")).toMatchObject({
      role: "user",
      parts: [
        { kind: "tool_result", callId: "toolu_1", isError: false, text: "shown:\nend", attachments },
        { kind: "tool_result", callId: "toolu_2", isError: true, text: "no such file", attachments: [] },
        { kind: "tool_result", callId: "toolu_3", isError: false, text: "", attachments: [] },
        { kind: "text", text: "Go on." },
      ],
    });
  });

  it.each(["server_tool_use", "web_search_tool_result", "mcp_tool_use", "mcp_tool_result", "document", "compaction"])(
    "carries a %s block untouched and never replaces one half of a pair",
    (type) => {
      const block = { type, id: "x", content: [{ type: "text", text: "y" }] };
      const [part] = anthropic.split({ role: "assistant", content: [block] }, "m").parts;
      expect(part).toEqual({ kind: "other", wire: block });
      expect(anthropic.withText(part!, "gone") === part).toBe(type !== "document");
    },
  );

  it("keeps a cleared result's id, error flag and cache mark", () => {
    const block = {
      type: "tool_result",
      tool_use_id: "toolu_1",
      content: [{ type: "text", text: "long" }],
      is_error: true,
      cache_control: { type: "ephemeral" },
    };
    const [part] = anthropic.split({ role: "user", content: [block] }, "m").parts;
    expect(anthropic.withText(part!, "[cleared]").wire).toEqual({ ...block, content: "[cleared]" });
  });

  it("of the system, in the middle of a conversation, reads as the user's and stays the system's", () => {
    const wire = { role: "system", content: "Be brief." };
    const message = anthropic.split(wire, "m");
    expect(message.role).toBe("user");
    expect(anthropic.join(message)).toEqual(wire);
  });

  it("takes the blocks of a tool's own result as they are and anything else as JSON text", () => {
    const blocks = [{ type: "image", source: { type: "url", url: "https://images.example/a.png" } }];
    const wireOf = (content: unknown): unknown =>
      anthropic.toolResult("toolu_1", "shot", content, false, "content").parts[0]?.wire;
    expect(wireOf(blocks)).toEqual({ type: "tool_result", tool_use_id: "toolu_1", content: blocks });
    expect(wireOf([{ type: "row" }])).toMatchObject({ content: '[{"type":"row"}]' });
    expect(wireOf([])).toMatchObject({ content: "[]" });
    expect(wireOf(7)).toMatchObject({ content: "7" });
  });

  it.each([
    [[{ type: "tool_use", name: "read", input: {} }], "m.content[0].id"],
    [[{ type: "tool_use", id: "a", input: {} }], "m.content[0].name"],
    [[{ type: "tool_result" }], "m.content[0].tool_use_id"],
    [[{ type: "tool_result", tool_use_id: "a", content: [{ type: "text" }] }], "m.content[0].content[0].text"],
  ])("is refused when its content is %j", (content, path) => {
    expect(() => anthropic.split({ role: "user", content }, "m")).toThrow(
      expect.objectContaining({ reason: "invalid_params", data: { path } }),
    );
  });

  it("names a server tool and an MCP toolset", () => {
    expect(anthropic.splitTool({ type: "web_search_20250305", name: "web_search" }, "t").name).toBe("web_search");
    expect(anthropic.splitTool({ type: "mcp_toolset", mcp_server_name: "github" }, "t").name).toBe("github");
  });
});
