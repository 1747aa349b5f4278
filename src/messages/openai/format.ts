import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Role } from "../../model/message.ts";
import type { Part } from "../../model/part.ts";
import { contentOf, emptyShape, fieldKey, PLACE, putEnvelope, takeEnvelope } from "../envelope.ts";
import type { MessageFormat, SplitMessage, ToolDefinition } from "../format.ts";
import { readPieces, resultContent, resultReading } from "../pieces.ts";
import { refusal, requireObject, requireString } from "../refusal.ts";
import { readPiece, readToolCall, withText } from "./parts.ts";
import { checkOpenAi } from "./rules.ts";

/** Wire roles and how they read. `function` is the older form of `tool`: it answers by name and has no call id. */
const ROLE_OF: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

const CONTENT = ["content"] as const;
const CONTENT_AND_CALLS = ["content", "tool_calls"] as const;

/** Parts that a tool message may hold; images are let through for the compatible providers that take them. */
const RESULT_PARTS: ReadonlySet<string> = new Set(["text", "image_url"]);

function split(value: unknown, path: string): SplitMessage {
  const wire = requireObject(value, path, "a chat-completions message");
  const wireRole = wire["role"];
  const role = typeof wireRole === "string" && Object.hasOwn(ROLE_OF, wireRole) ? ROLE_OF[wireRole] : undefined;
  if (role === undefined) throw refusal(`${path}.role`, `one of ${Object.keys(ROLE_OF).join(", ")}`);
  if (wireRole === "tool") return splitResult(wire, path);

  const parts = readPieces(wire["content"], `${path}.content`, readPiece);
  if (role !== "assistant") {
    const fields: Part[] = [];
    const envelope = takeEnvelope(wire, CONTENT, fields);
    return { role, envelope, parts: fields.length === 0 ? parts : [...parts, ...fields] };
  }
  const calls = wire["tool_calls"];
  if (calls !== undefined && calls !== null) {
    if (!Array.isArray(calls)) throw refusal(`${path}.tool_calls`, "a list of tool calls");
    for (const [index, call] of calls.entries()) parts.push(readToolCall(call, `${path}.tool_calls[${index}]`));
  }
  const envelope = takeEnvelope(wire, CONTENT_AND_CALLS, parts);
  return { role, envelope, parts };
}

function splitResult(wire: JsonObject, path: string): SplitMessage {
  const callId = requireString(wire["tool_call_id"], `${path}.tool_call_id`, "the id of the call it answers");
  const content = wire["content"];
  const reading = resultReading(readPieces(content, `${path}.content`, readPiece));
  const parts: Part[] = [{ kind: "tool_result", callId, isError: false, ...reading, wire: content ?? null }];
  const envelope = takeEnvelope(wire, CONTENT, parts);
  return { role: "tool", envelope, parts };
}

function splitSystem(system: unknown, path: string): SplitMessage {
  if (typeof system !== "string" && !Array.isArray(system)) throw refusal(path, "a string or a list of text parts");
  const parts = readPieces(system, path, readPiece);
  return { role: "system", envelope: { role: "system", content: parts.length === 0 ? system : PLACE }, parts };
}

function splitTool(definition: unknown, path: string): ToolDefinition {
  const wire = requireObject(definition, path, "a tool definition");
  for (const key of ["function", "custom"]) {
    const tool = wire[key];
    if (!isJsonObject(tool)) continue;
    return {
      name: requireString(tool["name"], `${path}.${key}.name`, "the tool's name"),
      part: { kind: "other", wire },
    };
  }
  // The older `functions` list and the definitions of some gateways have the name at the top.
  return {
    name: requireString(wire["name"], `${path}.function.name`, "the tool's name"),
    part: { kind: "other", wire },
  };
}

function toolResult(callId: string, _toolName: string, content: unknown, isError: boolean, path: string): SplitMessage {
  const wireContent = resultContent(content, RESULT_PARTS, path);
  const message = splitResult({ role: "tool", tool_call_id: callId, content: wireContent }, path);
  return {
    ...message,
    parts: message.parts.map((part) => (part.kind === "tool_result" ? { ...part, isError } : part)),
  };
}

function compose(role: "user" | "assistant" | "system", text: string): SplitMessage {
  return { role, envelope: { role, content: PLACE }, parts: [{ kind: "text", text, wire: text }] };
}

function join(message: SplitMessage): JsonObject {
  const { role, envelope, parts } = message;
  if (role === "tool" && envelope["role"] === "tool") return joinResult(message);
  const pieces: Part[] = [];
  const calls: Json[] = [];
  for (const part of parts) {
    if (part.kind === "tool_call") calls.push(part.wire);
    else if (fieldKey(part) === null) pieces.push(part);
  }
  const content = contentOf(pieces) ?? goneContent(envelope, calls.length > 0);
  if (role !== "assistant") return putEnvelope(envelope, { content }, parts);
  return putEnvelope(envelope, { content, tool_calls: callsOf(envelope, calls) }, parts);
}

/** What stands for a content without pieces: the empty shape that came, or the one the rules allow. */
function goneContent(envelope: JsonObject, hasCalls: boolean): Json | undefined {
  const empty = emptyShape(envelope, "content");
  if (empty !== undefined || !Object.hasOwn(envelope, "content")) return empty;
  return hasCalls ? null : "";
}

function callsOf(envelope: JsonObject, calls: Json[]): Json | undefined {
  return calls.length > 0 ? calls : emptyShape(envelope, "tool_calls");
}

function joinResult({ envelope, parts }: SplitMessage): JsonObject {
  const result = parts.find((part) => part.kind === "tool_result");
  let content: Json | undefined = result === undefined ? "" : result.wire;
  if (content === null && !Object.hasOwn(envelope, "content")) content = undefined;
  return putEnvelope(envelope, { content }, parts);
}

/** OpenAI chat completions. The system prompt is a message; each tool result is a message of its own. */
export const openAiFormat: MessageFormat = {
  name: "openai",
  systemBeside: false,
  resultsShareMessage: false,
  callIdsUnique: false,
  split,
  splitSystem,
  splitTool,
  toolResult,
  compose,
  withText,
  join,
  // Every rule about the whole list is about calls and their results, which stand or fall together.
  settle: (context) => context,
  mayBeSettled: () => false,
  check: checkOpenAi,
};
