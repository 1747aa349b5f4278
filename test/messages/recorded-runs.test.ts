import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { convert, messageFormats, type RenderedContext } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";

/** Recorded runs beside the checkout, where there are some; one of our own stands for them where there are none. */
const FOLDER = resolve(import.meta.dirname, "../../../shared/transcripts");

const OWN_RUN: readonly JsonObject[] = [
  { role: "system", content: "You mend software." },
  { role: "user", content: "The test of the parser fails. Mend it." },
  {
    role: "assistant",
    content: "",
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "read_file", arguments: '{"path":"src/parser.ts"}' } },
      { id: "call_2", type: "function", function: { name: "list", arguments: '{"path":"test"}' } },
    ],
  },
  { role: "tool", tool_call_id: "call_1", name: "read_file", content: "export function parse() {}" },
  { role: "tool", tool_call_id: "call_2", name: "list", content: "" },
  { role: "assistant", content: "It returns nothing." },
];

function recordedRuns(): [string, readonly JsonObject[]][] {
  const runs: [string, readonly JsonObject[]][] = [["own run", OWN_RUN]];
  const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => file.endsWith(".jsonl")) : [];
  for (const file of files) {
    const lines = readFileSync(join(FOLDER, file), "utf8").split("\n").slice(1);
    runs.push([file, lines.filter((line) => line !== "").map((line) => JSON.parse(line) as JsonObject)]);
  }
  return runs;
}

/** A recording may stop before the last call was answered: what a request would have held is what stands before. */
function answered(messages: readonly JsonObject[]): JsonObject[] {
  let end = messages.length;
  while (end > 0 && messages[end - 1]?.["role"] === "tool") end -= 1;
  const calls = messages[end - 1]?.["tool_calls"];
  const results = messages.length - end;
  return Array.isArray(calls) && calls.length > results ? messages.slice(0, end - 1) : [...messages];
}

describe("recorded runs", () => {
  const runs = recordedRuns();

  it("are read and written again byte for byte", () => {
    for (const [name, messages] of runs) {
      for (const [index, message] of messages.entries()) {
        const again = messageFormats.openai.join(messageFormats.openai.split(message, `messages[${index}]`));
        expect(JSON.stringify(again), `${name} ${index}`).toBe(JSON.stringify(message));
      }
    }
  });

  it("are valid in both formats, there and back again", () => {
    for (const [name, messages] of runs) {
      const context: RenderedContext = { messages: answered(messages) };
      expect(messageFormats.openai.check(context), name).toEqual([]);
      const there = convert(context, "openai", "anthropic");
      expect(messageFormats.anthropic.check(there), name).toEqual([]);
      for (const [index, message] of there.messages.entries()) {
        const again = messageFormats.anthropic.join(messageFormats.anthropic.split(message, `messages[${index}]`));
        expect(JSON.stringify(again), `${name} ${index}`).toBe(JSON.stringify(message));
      }
      const back = convert(there, "anthropic", "openai");
      expect(messageFormats.openai.check(back), name).toEqual([]);
    }
  });
});
