import type { Json, JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";

export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface WireResult {
  readonly id: string;
  readonly content: Json;
}

/** How one provider writes what an agent says: enough to tell a test's story in either format. */
export interface WireFormat {
  user(text: string): JsonObject;
  /** An assistant message. `thinking`: null for none. */
  answer(text: string, calls?: readonly WireCall[], thinking?: string | null): JsonObject;
  /** The results of one batch: a message each, or one message. */
  results(results: readonly WireResult[]): JsonObject[];
  tool(name: string): JsonObject;
}

const openai: WireFormat = {
  user: (text) => ({ role: "user", content: text }),
  answer: (text, calls = [], thinking = null) => ({
    role: "assistant",
    content: text === "" ? null : text,
    ...(thinking === null ? {} : { reasoning_content: thinking }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            type: "function",
            function: { name, arguments: JSON.stringify(input) },
          })),
        }),
  }),
  results: (results) => results.map(({ id, content }) => ({ role: "tool", tool_call_id: id, content })),
  tool: (name) => ({
    type: "function",
    function: { name, description: `Runs ${name}.`, parameters: { type: "object", properties: {} } },
  }),
};

const anthropic: WireFormat = {
  user: (text) => ({ role: "user", content: text }),
  answer: (text, calls = [], thinking = null) => ({
    role: "assistant",
    content: [
      ...(thinking === null ? [] : [{ type: "thinking", thinking, signature: "c2lnbmF0dXJl" }]),
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
    ],
  }),
  results: (results) => [
    {
      role: "user",
      content: results.map(({ id, content }) => ({ type: "tool_result", tool_use_id: id, content })),
    },
  ],
  tool: (name) => ({ name, description: `Runs ${name}.`, input_schema: { type: "object", properties: {} } }),
};

export const wire: Readonly<Record<MessageFormatName, WireFormat>> = { openai, anthropic };

/** Distinct prose of about so many tokens, in lines: `seed` makes each text differ from the others. */
export function prose(tokens: number, seed: string): string {
  const lines: string[] = [];
  for (let line = 0; lines.length * 12 < tokens; line++)
    lines.push(`${seed} line ${line}: the quick brown fox jumps over`);
  return lines.join("\n");
}
