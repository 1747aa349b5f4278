import type { Json, JsonObject } from "../../model/json.ts";
import type { ImagePart, Part, ToolResultPart } from "../../model/part.ts";
import type { RenderedContext, SplitMessage } from "../format.ts";
import { CallIds, portableName } from "./names.ts";
import { imageSource, isSilentField, noteOf } from "./source.ts";

/** Stands for a conversation of which nothing could be carried over: a request needs a message. */
const NOTHING = "(The conversation is empty.)";

/**
 * Writes split messages as an OpenAI context. Each tool result becomes a tool message; images in results, which tool
 * messages do not take, follow in a user message; thinking, which only its own provider can verify, stays behind.
 */
export function toOpenAi(messages: readonly SplitMessage[]): RenderedContext {
  const ids = new CallIds();
  const written: JsonObject[] = [];
  // Images of results wait until the batch of results is over.
  let waiting: JsonObject[] = [];
  const settle = (): void => {
    if (waiting.length > 0) written.push({ role: "user", content: waiting });
    waiting = [];
  };
  for (const { role: reading, envelope, parts } of messages) {
    // An instruction in the middle of the conversation has an exact counterpart.
    const role = envelope["role"] === "system" ? "system" : reading;
    const rest: Part[] = [];
    for (const part of parts) {
      if (part.kind === "tool_result") written.push(resultMessage(part, ids, waiting));
      else rest.push(part);
    }
    if (rest.length === 0) continue;
    if (role === "user" || role === "tool") {
      const pieces = [...waiting, ...piecesOf(rest)];
      waiting = [];
      pushPieces(written, "user", pieces);
      continue;
    }
    settle();
    if (role === "system")
      pushPieces(
        written,
        role,
        piecesOf(rest).filter((piece) => piece["type"] === "text"),
      );
    else pushAssistant(written, rest, ids);
  }
  settle();
  if (written.length === 0) written.push({ role: "user", content: NOTHING });
  return { messages: written };
}

function pushPieces(written: JsonObject[], role: string, pieces: readonly JsonObject[]): void {
  if (pieces.length > 0) written.push({ role, content: contentOf(pieces) });
}

function contentOf(pieces: readonly JsonObject[]): Json {
  const only = pieces[0];
  return pieces.length === 1 && only?.["type"] === "text" ? (only["text"] as Json) : [...pieces];
}

function pushAssistant(written: JsonObject[], parts: readonly Part[], ids: CallIds): void {
  const pieces = piecesOf(parts).filter((piece) => piece["type"] === "text");
  const calls: JsonObject[] = [];
  for (const part of parts) {
    if (part.kind !== "tool_call") continue;
    calls.push({
      id: ids.forCall(part.callId),
      type: "function",
      function: { name: portableName(part.name), arguments: part.argumentsText === "" ? "{}" : part.argumentsText },
    });
  }
  if (pieces.length === 0 && calls.length === 0) return;
  const message: JsonObject = { role: "assistant", content: pieces.length === 0 ? null : contentOf(pieces) };
  if (calls.length > 0) message["tool_calls"] = calls;
  written.push(message);
}

function piecesOf(parts: readonly Part[]): JsonObject[] {
  const pieces: JsonObject[] = [];
  for (const part of parts) {
    if (part.kind === "text") pieces.push({ type: "text", text: part.text });
    else if (part.kind === "image") pieces.push(imagePiece(part));
    else if (part.kind === "other" && !isSilentField(part)) pieces.push({ type: "text", text: noteOf(part) });
  }
  return pieces;
}

function imagePiece(part: ImagePart): JsonObject {
  const source = imageSource(part);
  if (source === null) return { type: "text", text: noteOf(part) };
  const url = source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.base64}`;
  return { type: "image_url", image_url: part.detail === "auto" ? { url } : { url, detail: part.detail } };
}

function resultMessage(part: ToolResultPart, ids: CallIds, waiting: JsonObject[]): JsonObject {
  const texts = part.text === "" ? [] : [part.text];
  for (const attachment of part.attachments) {
    if (attachment.kind === "image" && imageSource(attachment) !== null) waiting.push(imagePiece(attachment));
    else texts.push(noteOf(attachment));
  }
  return { role: "tool", tool_call_id: ids.forResult(part.callId), content: texts.join("\n") };
}
