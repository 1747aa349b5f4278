import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convert, messageFormats, type RenderedContext } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import type { Part } from "../../src/model/part.ts";
import { PNG_3_BY_2, validContext } from "../support/message-arbitraries.ts";

const PAIRS = MESSAGE_FORMATS.flatMap((from) =>
  MESSAGE_FORMATS.filter((to) => to !== from).map((to) => [from, to] as const),
);

function partsOf(context: RenderedContext, name: MessageFormatName): Part[] {
  const format = messageFormats[name];
  const system = context.system === undefined ? [] : format.splitSystem(context.system, "system").parts;
  return [...system, ...context.messages.flatMap((message) => format.split(message, "m").parts)];
}

/** What a conversation says: texts that are not blank, images, calls with their arguments, results, in order. */
function saidIn(context: RenderedContext, name: MessageFormatName): unknown[] {
  return partsOf(context, name).flatMap((part): unknown[] => {
    if (part.kind === "text") return part.text.trim() === "" ? [] : [part.text.trim()];
    if (part.kind === "tool_call") return [[part.name, JSON.parse(part.argumentsText || "{}")]];
    if (part.kind === "tool_result") return [["result", part.text], ...part.attachments.map((each) => each.kind)];
    return part.kind === "image" ? [part.kind] : [];
  });
}

describe.each(PAIRS)("converted from %s to %s, a conversation", (from, to) => {
  it("that was valid is valid", () => {
    fc.assert(
      fc.property(validContext[from], (context) => {
        expect(messageFormats[to].check(convert(context, from, to))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("says the same there and when it is converted back", () => {
    fc.assert(
      fc.property(validContext[from], (context) => {
        const there = convert(context, from, to);
        const back = convert(there, to, from);
        expect(messageFormats[from].check(back)).toEqual([]);
        const heard = (said: unknown[]): string[] =>
          said
            .map((each) => JSON.stringify(each))
            .filter((each) => each !== '"[document]"')
            .sort();
        expect(heard(saidIn(there, to))).toEqual(heard(saidIn(context, from)));
        expect(heard(saidIn(back, from))).toEqual(heard(saidIn(context, from)));
      }),
      { numRuns: 300 },
    );
  });

  it("is not touched when both formats are the same", () => {
    const context: RenderedContext = { messages: [{ role: "user", content: "x" }] };
    expect(convert(context, from, from)).toBe(context);
  });
});

const url = `data:image/png;base64,${PNG_3_BY_2}`;
const image: JsonObject = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG_3_BY_2 } };

describe("a conversion", () => {
  const openAi: RenderedContext = {
    messages: [
      { role: "system", content: "Be careful." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url } },
        ],
      },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "look", arguments: '{"at": "it"}' } },
          { id: "call_2", type: "function", function: { name: "look", arguments: "" } },
        ],
      },
      { role: "tool", tool_call_id: "call_2", content: "nothing" },
      { role: "tool", tool_call_id: "call_1", content: "a dot" },
      { role: "assistant", content: "A dot." },
    ],
  };
  const anthropic: RenderedContext = {
    system: "Be careful.",
    messages: [
      { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "call_1", name: "look", input: { at: "it" } },
          { type: "tool_use", id: "call_2", name: "look", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_2", content: "nothing" },
          { type: "tool_result", tool_use_id: "call_1", content: "a dot" },
        ],
      },
      { role: "assistant", content: "A dot." },
    ],
  };

  it("moves the system prompt beside the messages and the results into one message", () => {
    expect(convert(openAi, "openai", "anthropic")).toEqual(anthropic);
  });

  it("moves the system prompt among the messages and each result into its own", () => {
    const back = convert(anthropic, "anthropic", "openai").messages;
    const calls = [
      { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":"it"}' } },
      { id: "call_2", type: "function", function: { name: "look", arguments: "{}" } },
    ];
    const { messages } = openAi;
    expect(back).toEqual([
      ...messages.slice(0, 2),
      { role: "assistant", content: null, tool_calls: calls },
      ...messages.slice(3),
    ]);
  });

  it("gives an id that returns a new one, and its result too", () => {
    const call = (id: string): JsonObject => ({
      id,
      type: "function",
      function: { name: "my.tool", arguments: "not json" },
    });
    const round = [
      { role: "assistant", content: null, tool_calls: [call("call:0")] },
      { role: "tool", tool_call_id: "call:0", content: "ok" },
    ];
    const { messages } = convert(
      { messages: [{ role: "user", content: "Go." }, ...round, ...round] },
      "openai",
      "anthropic",
    );
    expect(messageFormats.anthropic.check({ messages })).toEqual([]);
    expect(messages[1]).toMatchObject({ content: [{ id: "call_0", input: { _arguments: "not json" } }] });
    expect(messages[4]).toMatchObject({ content: [{ tool_use_id: "call_0_2" }] });
  });

  it("hands on images of a result behind the batch of results", () => {
    const result = (id: string, content: JsonObject[] | string): JsonObject => ({
      type: "tool_result",
      tool_use_id: id,
      content,
    });
    const { messages } = convert(
      {
        messages: [
          { role: "user", content: "Go." },
          {
            role: "assistant",
            content: ["a", "b"].map((id) => ({ type: "tool_use", id, name: "shot", input: {} })),
          },
          { role: "user", content: [result("a", [{ type: "text", text: "done" }, image]), result("b", "ok")] },
        ],
      },
      "anthropic",
      "openai",
    );
    expect(messages.slice(2)).toEqual([
      { role: "tool", tool_call_id: "a", content: "done" },
      { role: "tool", tool_call_id: "b", content: "ok" },
      { role: "user", content: [{ type: "image_url", image_url: { url } }] },
    ]);
  });

  it("keeps an instruction in the middle of the conversation where OpenAI takes one", () => {
    const messages = [
      { role: "user", content: "Go." },
      { role: "system", content: "Be brief." },
      { role: "assistant", content: "Yes." },
    ];
    expect(convert({ messages }, "anthropic", "openai")).toEqual({ messages });
    expect(convert({ messages }, "openai", "anthropic")).toEqual({
      system: "Be brief.",
      messages: [messages[0], messages[2]],
    });
  });

  it("leaves thinking behind and notes what has no place", () => {
    const { messages } = convert(
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "document", source: { data: "huge" } },
              { type: "text", text: "Go." },
            ],
          },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm", signature: "s" },
              { type: "text", text: "Yes." },
            ],
          },
        ],
      },
      "anthropic",
      "openai",
    );
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "[document]" },
          { type: "text", text: "Go." },
        ],
      },
      { role: "assistant", content: "Yes." },
    ]);
  });

  it("opens with a user's message where the conversation does not, and drops what says nothing", () => {
    const messages = [
      { role: "assistant", content: "Hello. " },
      { role: "user", content: "" },
      { role: "assistant", content: null, refusal: "No. " },
    ];
    const converted = convert({ messages }, "openai", "anthropic");
    expect(converted.messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
    expect(converted.messages.at(-1)).toEqual({ role: "assistant", content: "No." });
    expect(messageFormats.anthropic.check(converted)).toEqual([]);
  });
});
