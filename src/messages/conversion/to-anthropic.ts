import type { Json, JsonObject } from "../../model/json.ts";
import type { ImagePart, Part, ToolResultPart } from "../../model/part.ts";
import { isBlank } from "../findings.ts";
import type { RenderedContext, SplitMessage } from "../format.ts";
import { CallIds, portableName } from "./names.ts";
import { imageSource, isSilentField, noteOf, parseObject } from "./source.ts";

/** Anthropic's conversations begin with the user; this stands where a converted one does not. */
const OPENING = "(The conversation begins.)";

/**
 * Writes split messages as an Anthropic context. System messages, wherever they stand, become the system prompt;
 * adjacent tool results share one user message; thinking, which only its own provider can verify, stays behind.
 */
export function toAnthropic(messages: readonly SplitMessage[]): RenderedContext {
  const ids = new CallIds();
  const system: JsonObject[] = [];
  const written: JsonObject[] = [];
  let results: JsonObject[] | null = null;
  for (const { role, parts } of messages) {
    if (role === "system") {
      system.push(...systemBlocks(parts));
      continue;
    }
    if (role === "assistant") {
      results = null;
      push(written, role, assistantBlocks(parts, ids));
      continue;
    }
    const rest: Part[] = [];
    for (const part of parts) {
      if (part.kind !== "tool_result") rest.push(part);
      else if (results === null) {
        results = [resultBlock(part, ids)];
        written.push({ role: "user", content: results });
      } else results.push(resultBlock(part, ids));
    }
    if (rest.length === 0) continue;
    results = null;
    push(written, "user", pieceBlocks(rest));
  }
  if (written[0]?.["role"] !== "user") written.unshift({ role: "user", content: OPENING });
  settleEnd(written);
  const only = system[0];
  if (only === undefined) return { messages: written };
  return { system: system.length === 1 ? (only["text"] as Json) : system, messages: written };
}

/** A message of text alone is written as a string, an empty one not at all. */
function push(written: JsonObject[], role: string, blocks: JsonObject[]): void {
  const only = blocks[0];
  if (only === undefined) return;
  const isText = blocks.length === 1 && only["type"] === "text";
  written.push({ role, content: isText ? (only["text"] as Json) : blocks });
}

function systemBlocks(parts: readonly Part[]): JsonObject[] {
  return pieceBlocks(parts).filter((block) => block["type"] === "text");
}

function assistantBlocks(parts: readonly Part[], ids: CallIds): JsonObject[] {
  const blocks = pieceBlocks(parts.filter((part) => part.kind !== "tool_call"));
  for (const part of parts) {
    if (part.kind !== "tool_call") continue;
    blocks.push({
      type: "tool_use",
      id: ids.forCall(part.callId),
      name: portableName(part.name),
      input: parseObject(part.argumentsText),
    });
  }
  return blocks;
}

function pieceBlocks(parts: readonly Part[]): JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const part of parts) {
    if (part.kind === "text") pushText(blocks, part.text);
    else if (part.kind === "image") blocks.push(imageBlock(part));
    else if (part.kind === "other" && !isSilentField(part)) pushText(blocks, noteOf(part));
  }
  return blocks;
}

function pushText(blocks: JsonObject[], text: string): void {
  if (!isBlank(text)) blocks.push({ type: "text", text });
}

function imageBlock(part: ImagePart): JsonObject {
  const source = imageSource(part);
  if (source === null) return { type: "text", text: noteOf(part) };
  if (source.kind === "url") return { type: "image", source: { type: "url", url: source.url } };
  return { type: "image", source: { type: "base64", media_type: source.mediaType, data: source.base64 } };
}

function resultBlock(part: ToolResultPart, ids: CallIds): JsonObject {
  const block: JsonObject = { type: "tool_result", tool_use_id: ids.forResult(part.callId) };
  const attached = pieceBlocks(part.attachments);
  if (attached.length === 0) block["content"] = part.text;
  else block["content"] = part.text === "" ? attached : [{ type: "text", text: part.text }, ...attached];
  if (part.isError) block["is_error"] = true;
  return block;
}

/** A final assistant message may not end with white space. */
function settleEnd(written: readonly JsonObject[]): void {
  const last = written.at(-1);
  if (last === undefined || last["role"] !== "assistant") return;
  const content = last["content"];
  if (typeof content === "string") last["content"] = content.trimEnd();
  else if (Array.isArray(content)) {
    const block = content.at(-1) as JsonObject;
    if (typeof block["text"] === "string") block["text"] = block["text"].trimEnd();
  }
}
