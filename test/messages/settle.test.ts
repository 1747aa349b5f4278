import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trimCacheMarks } from "../../src/messages/anthropic/cache-marks.ts";
import { messageFormats, type RenderedContext } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS } from "../../src/model/message.ts";
import { validContext } from "../support/message-arbitraries.ts";

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

describe("a settled context", () => {
  const { anthropic } = messageFormats;
  const ask: JsonObject = { role: "user", content: "Go." };
  const instruction: JsonObject = { role: "system", content: "Be brief." };

  it.each(MESSAGE_FORMATS)("of %s is the same object when it was valid", (name) => {
    fc.assert(
      fc.property(validContext[name], (context) => {
        expect(messageFormats[name].settle(context)).toBe(context);
      }),
    );
  });

  it("makes the user's of instructions whose neighbours are gone, and of no other", () => {
    const said = { role: "assistant", content: "Yes." };
    const messages = [instruction, ask, instruction, instruction, said, ask, instruction, ask];
    const settled = anthropic.settle({ messages });
    expect(anthropic.check(settled)).toEqual([]);
    expect(settled.messages.map(({ role }) => role).join(" ")).toBe("user user user system assistant user user user");
    expect(messages[0]).toBe(instruction);
    expect(instruction["role"]).toBe("system");
  });

  it("is valid after whole turns were dropped and every message remembers its cache mark", () => {
    fc.assert(
      fc.property(validContext.anthropic, fc.infiniteStream(fc.boolean()), (context, coins) => {
        const messages: JsonObject[] = [];
        let dropsResults = false;
        for (const [index, message] of context.messages.entries()) {
          const { role, parts } = anthropic.split(message, "m");
          const isResults = parts.some((part) => part.kind === "tool_result");
          const drops: boolean = isResults ? dropsResults : index > 0 && coins.next().value === true;
          if (role === "assistant") dropsResults = drops;
          if (!drops) messages.push(message);
        }
        const marked = messages.map((message): JsonObject => {
          const content = message["content"];
          if (!Array.isArray(content)) return message;
          return { ...message, content: content.map((block) => ({ ...(block as JsonObject), cache_control: mark })) };
        });
        expect(anthropic.check(anthropic.settle({ messages: marked }))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
