import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, ToolCallPart } from "../../model/part.ts";
import { imageSizeOfUrl } from "../image-size.ts";
import { clearedArguments, imagePart, readText, textInPlaceOf } from "../pieces.ts";
import { COMPACTION, readCompaction } from "../provider-edits.ts";
import { refusal, requireObject, requireString } from "../refusal.ts";

/** One part of a `content` list. */
export function readPiece(wire: JsonObject, type: string, path: string): Part {
  switch (type) {
    case "text":
      return readText(wire, path);
    case "image_url":
      return readImage(wire);
    // Gateways in front of reasoning models return these among the content.
    case "thinking":
    case "redacted_thinking":
      return { kind: "thinking", text: typeof wire["thinking"] === "string" ? wire["thinking"] : "", wire };
    case COMPACTION:
      return readCompaction(wire);
    default:
      return { kind: "other", wire };
  }
}

function readImage(wire: JsonObject): Part {
  const image = wire["image_url"];
  // Some clients send the URL itself instead of an object.
  if (typeof image === "string") return imagePart(wire, imageSizeOfUrl(image), wire, wire["detail"]);
  if (!isJsonObject(image)) return { kind: "other", wire };
  const url = image["url"];
  return imagePart(wire, typeof url === "string" ? imageSizeOfUrl(url) : null, image, image["detail"]);
}

/** One entry of `tool_calls`: a function, a custom tool, or a kind not known here, which still has an id. */
export function readToolCall(entry: unknown, path: string): ToolCallPart {
  const wire = requireObject(entry, path, "a tool call with an `id`");
  const callId = requireString(wire["id"], `${path}.id`, "the id of the tool call");
  const called = wire["function"];
  if (called !== undefined) {
    if (!isJsonObject(called)) throw refusal(`${path}.function`, "an object with `name` and `arguments`");
    const name = requireString(called["name"], `${path}.function.name`, "the name of the tool");
    return { kind: "tool_call", callId, name, argumentsText: argumentsText(called["arguments"]), wire };
  }
  const custom = wire["custom"];
  if (isJsonObject(custom)) {
    const name = requireString(custom["name"], `${path}.custom.name`, "the name of the tool");
    return { kind: "tool_call", callId, name, argumentsText: argumentsText(custom["input"]), wire };
  }
  const type = requireString(wire["type"], `${path}.type`, "the kind of the tool call, such as function");
  return { kind: "tool_call", callId, name: type, argumentsText: canonicalJson(wire), wire };
}

/** Arguments are text by the rules; a client that sends an object is understood. */
function argumentsText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : canonicalJson(value);
}

/** Content parts that may give way to a text part. A refusal is text that the model must see as it was. */
const REPLACEABLE: ReadonlySet<string> = new Set(["file", "input_audio"]);

export function withText(part: Part, text: string): Part {
  switch (part.kind) {
    case "text":
    case "image":
      return textInPlaceOf(part, text);
    case "tool_result":
      return { ...part, text, attachments: [], wire: text };
    case "tool_call":
      return clearedCall(part, text);
    case "thinking":
      return part;
    case "other": {
      const type = isJsonObject(part.wire) ? part.wire["type"] : undefined;
      return typeof type === "string" && REPLACEABLE.has(type) ? textInPlaceOf(part, text) : part;
    }
  }
}

function clearedCall(part: ToolCallPart, text: string): Part {
  if (!isJsonObject(part.wire)) return part;
  const { function: called, custom } = part.wire;
  const argumentsText = JSON.stringify(clearedArguments(text));
  if (isJsonObject(called)) {
    return { ...part, argumentsText, wire: { ...part.wire, function: { ...called, arguments: argumentsText } } };
  }
  if (isJsonObject(custom)) {
    return { ...part, argumentsText, wire: { ...part.wire, custom: { ...custom, input: argumentsText } } };
  }
  return part;
}
