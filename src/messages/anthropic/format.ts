import type { Json, JsonObject } from "../../model/json.ts";
import type { Role } from "../../model/message.ts";
import type { Part } from "../../model/part.ts";
import { contentOf, emptyShape, fieldKey, PLACE, putEnvelope, takeEnvelope } from "../envelope.ts";
import type { MessageFormat, SplitMessage, ToolDefinition } from "../format.ts";
import { readPieces, resultContent } from "../pieces.ts";
import { refusal, requireObject, requireString } from "../refusal.ts";
import { countMarks, trimCacheMarks } from "./cache-marks.ts";
import { placeInstructions } from "./instructions.ts";
import { readPiece, withText } from "./parts.ts";
import { checkAnthropic } from "./rules.ts";

/**
 * Wire roles and how they read. A system message among the others is an instruction in the middle of the conversation.
 * It has its place there and nothing in common with the system prompt, which is beside the messages: it reads as the
 * user's, and the envelope keeps its wire role.
 */
const ROLE_OF: Readonly<Record<string, Role>> = { user: "user", assistant: "assistant", system: "user" };

const CONTENT = ["content"] as const;

/** Blocks that a tool result may hold. */
const RESULT_PARTS: ReadonlySet<string> = new Set(["text", "image", "document", "search_result", "tool_reference"]);

function split(value: unknown, path: string): SplitMessage {
  const wire = requireObject(value, path, "a message of the Messages API");
  const wireRole = wire["role"];
  const role = typeof wireRole === "string" && Object.hasOwn(ROLE_OF, wireRole) ? ROLE_OF[wireRole] : undefined;
  if (role === undefined) throw refusal(`${path}.role`, `one of ${Object.keys(ROLE_OF).join(", ")}`);
  const parts = readPieces(wire["content"], `${path}.content`, readPiece);
  const envelope = takeEnvelope(wire, CONTENT, parts);
  return { role, envelope, parts };
}

function splitSystem(system: unknown, path: string): SplitMessage {
  if (typeof system !== "string" && !Array.isArray(system)) throw refusal(path, "a string or a list of text blocks");
  const parts = readPieces(system, path, readPiece);
  return { role: "system", envelope: { role: "system", content: parts.length === 0 ? system : PLACE }, parts };
}

function splitTool(definition: unknown, path: string): ToolDefinition {
  const wire = requireObject(definition, path, "a tool definition");
  // An MCP toolset is named by its server.
  const name = typeof wire["mcp_server_name"] === "string" ? wire["mcp_server_name"] : wire["name"];
  return { name: requireString(name, `${path}.name`, "the tool's name"), part: { kind: "other", wire } };
}

function toolResult(callId: string, _toolName: string, content: unknown, isError: boolean, path: string): SplitMessage {
  const block: JsonObject = {
    type: "tool_result",
    tool_use_id: callId,
    content: resultContent(content, RESULT_PARTS, path),
  };
  if (isError) block["is_error"] = true;
  return { role: "user", envelope: { role: "user", content: PLACE }, parts: [readPiece(block, "tool_result", path)] };
}

function compose(role: "user" | "assistant" | "system", text: string): SplitMessage {
  return { role, envelope: { role, content: PLACE }, parts: [{ kind: "text", text, wire: text }] };
}

function join({ envelope, parts }: SplitMessage): JsonObject {
  const pieces: readonly Part[] = parts.every((part) => fieldKey(part) === null)
    ? parts
    : parts.filter((part) => fieldKey(part) === null);
  let content: Json | undefined = contentOf(pieces);
  if (content === undefined && Object.hasOwn(envelope, "content")) {
    content = emptyShape(envelope, "content");
    if (content === undefined) content = [];
  }
  return putEnvelope(envelope, { content }, parts);
}

/** Anthropic messages. The system prompt is beside them; the results of one message's calls share a user message. */
export const anthropicFormat: MessageFormat = {
  name: "anthropic",
  systemBeside: true,
  resultsShareMessage: true,
  callIdsUnique: true,
  split,
  splitSystem,
  splitTool,
  toolResult,
  compose,
  withText,
  join,
  settle: (context) => placeInstructions(trimCacheMarks(context)),
  mayBeSettled: ({ role, envelope, parts }) =>
    (role !== "system" && envelope["role"] === "system") || countMarks(parts.map((part) => part.wire)) > 0,
  check: checkAnthropic,
};
