import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePart, encodePart } from "../../src/manager/part-codec.ts";
import { messageFormats } from "../../src/messages/index.ts";
import { contentHash } from "../../src/model/content-hash.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS } from "../../src/model/message.ts";
import type { Part } from "../../src/model/part.ts";
import { acceptedMessage } from "../support/message-arbitraries.ts";

function callIdOf(part: Part): string | null {
  return part.kind === "tool_call" || part.kind === "tool_result" ? part.callId : null;
}

/** A part as JSON carries it, key order included. */
function asText(part: Part): string {
  return JSON.stringify(part);
}

function roundTrip(part: Part): Part {
  return decodePart(encodePart(part), callIdOf(part));
}

describe("the stored text of a part", () => {
  for (const format of MESSAGE_FORMATS) {
    it(`gives every part of any ${format} message back`, () => {
      fc.assert(
        fc.property(acceptedMessage[format], (message) => {
          for (const part of messageFormats[format].split(message, "message").parts) {
            const back = roundTrip(part);
            expect(JSON.parse(asText(back))).toEqual(JSON.parse(asText(part)));
            expect(JSON.stringify(back.wire)).toBe(JSON.stringify(part.wire));
          }
        }),
        { numRuns: 400 },
      );
    });
  }

  it("gives content that looks like its own marks back as it was", () => {
    const looksMarked = fc.constantFrom<Json>(
      { $: "text" },
      { $: "call" },
      { $: "text", more: 1 },
      { $: { $: "text" } },
      [{ $: "call" }],
      "$",
    );
    fc.assert(
      fc.property(looksMarked, fc.string(), fc.string(), (value, callId, text) => {
        const wire: JsonObject = { type: "tool_use", id: callId, name: text, input: { value, again: callId } };
        const part = messageFormats.anthropic.split({ role: "assistant", content: [wire] }, "message").parts[0] as Part;
        expect(JSON.stringify(roundTrip(part))).toBe(JSON.stringify(part));
      }),
    );
  });

  it("carries lone surrogates, which UTF-8 cannot", () => {
    for (const text of ["\ud800", "a\udfffb", "\ud83d", "ok \ud83d\ude00"]) {
      const part = messageFormats.openai.split({ role: "user", content: text }, "message").parts[0] as Part;
      const stored = encodePart(part);
      expect(Buffer.from(stored, "utf8").toString("utf8"), "the stored text survives UTF-8").toBe(stored);
      expect(roundTrip(part)).toEqual(part);
    }
  });

  it("is the same for equal results of different calls, so that they are stored once", () => {
    const result = (id: string) =>
      messageFormats.anthropic.toolResult(id, "read", "the same text", false, "content").parts[0] as Part;
    expect(contentHash(encodePart(result("call_a")))).toBe(contentHash(encodePart(result("call_b"))));
    expect(decodePart(encodePart(result("call_a")), "call_b")).toEqual(result("call_b"));
  });

  it("differs where a text that equals a call id belongs to another call", () => {
    const result = (id: string, text: string) =>
      messageFormats.anthropic.toolResult(id, "read", text, false, "content").parts[0] as Part;
    for (const id of ["call_a", "call_b"]) {
      const part = result(id, "call_a");
      expect(roundTrip(part)).toEqual(part);
    }
  });
});
