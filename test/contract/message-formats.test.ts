import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  convert,
  type MessageFormat,
  messageDigest,
  messageFormats,
  partDigest,
  type RenderedContext,
  type SplitMessage,
} from "../../src/messages/index.ts";
import { ContextdError } from "../../src/model/errors.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS } from "../../src/model/message.ts";
import type { Part } from "../../src/model/part.ts";
import { acceptedMessage, validContext } from "../support/message-arbitraries.ts";

function refusalOf(action: () => unknown): ContextdError {
  try {
    action();
  } catch (error) {
    if (error instanceof ContextdError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

function digestOf(message: SplitMessage): string {
  return messageDigest(message.role, message.parts.map(partDigest));
}

/** The context with the given messages rendered by the format, its system prompt where the format wants it. */
function render(
  format: MessageFormat,
  system: SplitMessage | null,
  messages: readonly SplitMessage[],
): RenderedContext {
  const wire = messages.map((message) => format.join(message));
  if (system === null) return { messages: wire };
  const prompt = format.join(system);
  return format.systemBeside ? { system: prompt["content"] ?? "", messages: wire } : { messages: [prompt, ...wire] };
}

const TOOLS: Readonly<Record<string, JsonObject>> = {
  openai: { type: "function", function: { name: "read", parameters: { type: "object" } } },
  anthropic: { name: "read", input_schema: { type: "object" } },
};

describe.each(MESSAGE_FORMATS.map((name) => [name, messageFormats[name]] as const))(
  "message format %s",
  (name, format) => {
    it("is registered under its own name", () => {
      expect(format.name).toBe(name);
    });

    it("joins what it split to the same bytes, whatever the message holds", () => {
      fc.assert(
        fc.property(acceptedMessage[name], (wire) => {
          const before = JSON.stringify(wire);
          const again = format.join(format.split(wire, "messages[0]"));
          expect(JSON.stringify(again)).toBe(before);
          expect(JSON.stringify(wire)).toBe(before);
        }),
        { numRuns: 1000 },
      );
    });

    it("joins messages that went through the journal as JSON", () => {
      fc.assert(
        fc.property(acceptedMessage[name], (wire) => {
          const stored = JSON.parse(JSON.stringify(format.split(wire, "messages[0]"))) as SplitMessage;
          expect(JSON.stringify(format.join(stored))).toBe(JSON.stringify(wire));
        }),
        { numRuns: 300 },
      );
    });

    it("gives a message the same digest after its keys were reordered", () => {
      const reversed = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(reversed);
        if (typeof value !== "object" || value === null) return value;
        return Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, member]) => [key, reversed(member)]),
        );
      };
      fc.assert(
        fc.property(acceptedMessage[name], (wire) => {
          const other = reversed(wire) as JsonObject;
          expect(digestOf(format.split(other, "messages[0]"))).toBe(digestOf(format.split(wire, "messages[0]")));
        }),
        { numRuns: 300 },
      );
    });

    it("finds no fault with valid conversations", () => {
      fc.assert(
        fc.property(validContext[name], (context) => {
          expect(format.check(context)).toEqual([]);
        }),
        { numRuns: 300 },
      );
    });

    it("keeps a conversation valid when any results, calls and texts are cleared", () => {
      fc.assert(
        fc.property(validContext[name], fc.infiniteStream(fc.boolean()), (context, coins) => {
          const messages = context.messages.map((wire, index) => {
            const message = format.split(wire, `messages[${index}]`);
            const parts = message.parts.map((part): Part => {
              const cleared = coins.next().value === true ? format.withText(part, "[cleared: h-0123456789ab]") : part;
              if (part.kind === "thinking") expect(cleared).toBe(part);
              if (part.kind === "tool_call")
                expect(JSON.parse((cleared as typeof part).argumentsText)).toBeTypeOf("object");
              return cleared;
            });
            return format.join({ ...message, parts });
          });
          expect(format.check({ ...context, messages })).toEqual([]);
        }),
        { numRuns: 200 },
      );
    });

    it("reads a part with a text in it as that part, its ids and names kept", () => {
      fc.assert(
        fc.property(acceptedMessage[name], fc.string({ minLength: 1 }), (wire, text) => {
          const message = format.split(wire, "messages[0]");
          const parts = message.parts.map((part) => format.withText(part, text));
          const again = format.split(format.join({ ...message, parts }), "messages[0]");
          for (const [index, part] of parts.entries()) {
            const was = message.parts[index] as Part;
            const is = again.parts[index] as Part;
            if (was.kind === "text" || was.kind === "image") expect(is).toMatchObject({ kind: "text", text });
            if (was.kind === "tool_result") {
              const { callId, isError } = was;
              expect(is).toEqual({ kind: "tool_result", callId, isError, text, attachments: [], wire: part.wire });
            }
            if (was.kind === "tool_call")
              expect(is).toMatchObject({ kind: "tool_call", callId: was.callId, name: was.name });
            if (was.kind === "thinking") expect(is).toEqual(was);
          }
        }),
        { numRuns: 500 },
      );
    });

    it("renders what it composed, with a system prompt and a tool's results, as a valid context", () => {
      const call = convert(
        {
          messages: [
            { role: "user", content: "Go on." },
            {
              role: "assistant",
              content: null,
              tool_calls: ["a", "b", "c"].map((id) => ({
                id,
                type: "function",
                function: { name: "read", arguments: "{}" },
              })),
            },
          ],
        },
        "openai",
        name,
      ).messages[1] as JsonObject;
      const results = [
        format.toolResult("a", "read", "text", false, "content"),
        format.toolResult("b", "read", { lines: 3 }, true, "content"),
        format.toolResult("c", "read", undefined, false, "content"),
      ];
      const [first, ...others] = results as [SplitMessage, ...SplitMessage[]];
      const shared = format.resultsShareMessage
        ? [{ ...first, parts: [...first.parts, ...others.flatMap((message) => message.parts)] }]
        : results;
      const messages = [
        format.compose("user", "Begin."),
        format.split(call, "m"),
        ...shared,
        format.compose("assistant", "Done."),
      ];
      const context = render(format, format.splitSystem("You are careful.", "system"), messages);
      expect(format.check(context)).toEqual([]);
      expect(results.flatMap((message) => message.parts)).toMatchObject([
        { kind: "tool_result", callId: "a", isError: false, text: "text" },
        { kind: "tool_result", callId: "b", isError: true, text: '{"lines":3}' },
        { kind: "tool_result", callId: "c", isError: false, text: "" },
      ]);
    });

    it.each([
      ["You are careful."],
      [""],
      [[]],
      [[{ type: "text", text: "You", cache_control: { type: "ephemeral" } }]],
    ])("gives back the system prompt %j as it was", (system) => {
      const message = format.splitSystem(system, "system");
      expect(message.role).toBe("system");
      expect(format.join(message)).toEqual({ role: "system", content: system });
    });

    it("names a tool and carries its definition untouched", () => {
      const definition = TOOLS[name] as JsonObject;
      const { name: tool, part } = format.splitTool(definition, "tools[0]");
      expect(tool).toBe("read");
      expect(part).toEqual({ kind: "other", wire: definition });
      expect(refusalOf(() => format.splitTool({}, "tools[0]")).data["path"]).toContain("tools[0]");
    });

    it.each([
      [null, "messages[4]"],
      ["hello", "messages[4]"],
      [[], "messages[4]"],
      [{}, "messages[4].role"],
      [{ role: "robot", content: "x" }, "messages[4].role"],
      [{ role: "toString", content: "x" }, "messages[4].role"],
      [{ role: "user", content: 5 }, "messages[4].content"],
      [{ role: "user", content: { text: "x" } }, "messages[4].content"],
      [{ role: "user", content: ["x"] }, "messages[4].content[0]"],
      [{ role: "user", content: [{ text: "x" }] }, "messages[4].content[0].type"],
      [{ role: "user", content: [{ type: "text", text: "x" }, { type: "text" }] }, "messages[4].content[1].text"],
    ])("refuses %j and names the place", (wire, path) => {
      const error = refusalOf(() => format.split(wire, "messages[4]"));
      expect(error.reason).toBe("invalid_params");
      expect(error.data).toEqual({ path });
      expect(error.message).toContain(path);
    });

    it.each([null, undefined, 5, {}, ["x"]])("refuses the system prompt %j", (system) => {
      expect(refusalOf(() => format.splitSystem(system, "system")).data["path"]).toContain("system");
    });
  },
);
