import type { Json, JsonObject } from "../model/json.ts";
import type { MessageFormatName } from "../model/message.ts";
import type { ToolDefinition } from "./tools.ts";

/** A tool call as an agent's model makes it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

/** Messages as an agent of one provider writes them. */
export interface Wire {
  assistant(text: string, calls: readonly ToolCall[]): JsonObject;
  /** Tool results in the messages that a whole history has for them. */
  results(results: readonly { readonly callId: string; readonly content: Json }[]): JsonObject[];
  tool(definition: ToolDefinition): JsonObject;
  /** The refusal of a request that is too long. */
  overflow(tokens: number, limit: number): JsonObject;
}

export const wires: Readonly<Record<MessageFormatName, Wire>> = {
  openai: {
    assistant: (text, calls) => ({
      role: "assistant",
      content: text,
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(openaiCall) }),
    }),
    results: (results) => results.map(({ callId, content }) => ({ role: "tool", tool_call_id: callId, content })),
    tool: ({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    }),
    overflow: (tokens, limit) => ({
      error: {
        message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens.`,
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    }),
  },
  anthropic: {
    assistant: (text, calls) => ({
      role: "assistant",
      content: [
        { type: "text", text },
        ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
      ],
    }),
    results: (results) => [
      {
        role: "user",
        content: results.map(({ callId, content }) => ({ type: "tool_result", tool_use_id: callId, content })),
      },
    ],
    tool: ({ name, description, schema }) => ({ name, description, input_schema: schema }),
    overflow: (tokens, limit) => ({
      type: "error",
      error: { type: "invalid_request_error", message: `prompt is too long: ${tokens} tokens > ${limit} maximum` },
    }),
  },
};

function openaiCall({ id, name, args }: ToolCall): JsonObject {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}
