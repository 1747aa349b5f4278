import { describe, expect, it } from "vitest";
import type { ImagePart, OtherPart, Part } from "../../src/model/part.ts";
import { DEFAULT_IMAGE_TOKENS } from "../../src/tokens/image-tokens.ts";
import { messageOverhead, promptOverhead } from "../../src/tokens/message-overhead.ts";
import { countedTexts, partTokens } from "../../src/tokens/part-tokens.ts";

/** A token a character: shows what was counted. */
const count = (text: string) => text.length;
const tokens = (part: Part, provider = "openai") => partTokens(part, count, provider);
const image: ImagePart = { kind: "image", width: 1024, height: 1024, detail: "high", wire: null };
const other: OtherPart = { kind: "other", wire: { type: "audio", data: "abc" } };

describe("partTokens", () => {
  it("counts text and thinking", () => {
    expect(tokens({ kind: "text", text: "hello", wire: null })).toBe(5);
    expect(tokens({ kind: "thinking", text: "hmm", wire: null })).toBe(3);
  });

  it("counts redacted thinking as what is sent", () => {
    const wire = { type: "redacted_thinking", data: "x".repeat(100) };
    expect(tokens({ kind: "thinking", text: "", wire })).toBe(JSON.stringify(wire).length);
  });

  it("counts name, id and arguments of a tool call", () => {
    const call: Part = { kind: "tool_call", callId: "call_1", name: "read", argumentsText: '{"path":"a"}', wire: null };
    expect(tokens(call)).toBe(6 + 4 + 12);
  });

  it("counts text, id and attachments of a tool result", () => {
    const result: Part = {
      kind: "tool_result",
      callId: "call_1",
      isError: false,
      text: "done",
      attachments: [image, other],
      wire: null,
    };
    expect(tokens(result)).toBe(6 + 4 + 765 + JSON.stringify(other.wire).length);
  });

  it("prices images by the model's provider", () => {
    expect(tokens(image, "openai")).toBe(765);
    expect(tokens(image, "anthropic")).toBe(1399);
    expect(tokens(image, "unknown")).toBe(DEFAULT_IMAGE_TOKENS);
  });

  it("never counts an unknown part as nothing", () => {
    expect(tokens(other)).toBe(JSON.stringify(other.wire).length);
    expect(partTokens({ kind: "other", wire: null }, () => 0, "openai")).toBe(1);
  });

  it("asks for the texts that it lists, and no others", () => {
    const part: Part = {
      kind: "tool_result",
      callId: "c",
      isError: false,
      text: "t",
      attachments: [other],
      wire: null,
    };
    const asked: string[] = [];
    partTokens(part, (text) => asked.push(text), "openai");
    expect(asked).toEqual(countedTexts(part));
  });
});

it("counts a tool definition as its JSON", () => {
  const definition = { name: "read", input_schema: { type: "object", properties: {} } };
  expect(partTokens({ kind: "other", wire: definition }, count, "openai")).toBe(JSON.stringify(definition).length);
});

describe("overheads", () => {
  it("charge OpenAI's 3 for a message, 1 for its role and 1 for a name", () => {
    expect(messageOverhead("openai", "user")).toBe(4);
    expect(messageOverhead("openai", "tool", true)).toBe(5);
    expect(messageOverhead("openai", "system")).toBe(4);
  });

  it("charge nothing for Anthropic's system field", () => {
    expect(messageOverhead("anthropic", "system")).toBe(0);
    expect(messageOverhead("anthropic", "assistant")).toBe(4);
  });

  it("charge OpenAI's reply priming and Anthropic's tool prompt once a call", () => {
    expect(promptOverhead("openai", true)).toBe(3);
    expect(promptOverhead("anthropic", false)).toBe(0);
    expect(promptOverhead("anthropic", true)).toBe(346);
  });
});
