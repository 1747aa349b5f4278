import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/part.ts";
import { imageSizeOfBase64 } from "../image-size.ts";
import { clearedArguments, imagePart, readPieces, readText, resultReading, textInPlaceOf } from "../pieces.ts";
import { COMPACTION, readCompaction } from "../provider-edits.ts";
import { requireString } from "../refusal.ts";

/** One block of a `content` list. Server tools, MCP, documents and whatever comes next are `other`. */
export function readPiece(wire: JsonObject, type: string, path: string): Part {
  switch (type) {
    case "text":
      return readText(wire, path);
    case "image":
      return readImage(wire);
    case "thinking":
      return { kind: "thinking", text: typeof wire["thinking"] === "string" ? wire["thinking"] : "", wire };
    case "redacted_thinking":
      return { kind: "thinking", text: "", wire };
    case "tool_use":
      return readToolUse(wire, path);
    case "tool_result":
      return readToolResult(wire, path);
    case COMPACTION:
      return readCompaction(wire);
    default:
      return { kind: "other", wire };
  }
}

function readImage(wire: JsonObject): Part {
  const source = isJsonObject(wire["source"]) ? wire["source"] : {};
  const data = source["data"];
  const size = source["type"] === "base64" && typeof data === "string" ? imageSizeOfBase64(data) : null;
  return imagePart(wire, size, wire, "auto");
}

function readToolUse(wire: JsonObject, path: string): ToolCallPart {
  const input: Json | undefined = wire["input"];
  return {
    kind: "tool_call",
    callId: requireString(wire["id"], `${path}.id`, "the id of the tool use"),
    name: requireString(wire["name"], `${path}.name`, "the name of the tool"),
    argumentsText: input === undefined ? "" : JSON.stringify(input),
    wire,
  };
}

function readToolResult(wire: JsonObject, path: string): ToolResultPart {
  return {
    kind: "tool_result",
    callId: requireString(wire["tool_use_id"], `${path}.tool_use_id`, "the id of the tool use it answers"),
    isError: wire["is_error"] === true,
    ...resultReading(readPieces(wire["content"], `${path}.content`, readPiece)),
    wire,
  };
}

/** Blocks that may give way to a text block. Server tool blocks come in pairs and stay as they are. */
const REPLACEABLE: ReadonlySet<string> = new Set(["document", "search_result", "container_upload"]);

export function withText(part: Part, text: string): Part {
  switch (part.kind) {
    case "text":
    case "image":
      return textInPlaceOf(part, text);
    case "tool_result":
      return { ...part, text, attachments: [], wire: { ...asObject(part.wire), content: text } };
    case "tool_call": {
      const input = clearedArguments(text);
      return { ...part, argumentsText: JSON.stringify(input), wire: { ...asObject(part.wire), input } };
    }
    case "thinking":
      return part;
    case "other": {
      const type = asObject(part.wire)["type"];
      return typeof type === "string" && REPLACEABLE.has(type) ? textInPlaceOf(part, text) : part;
    }
  }
}

function asObject(wire: Json): JsonObject {
  return isJsonObject(wire) ? wire : {};
}
