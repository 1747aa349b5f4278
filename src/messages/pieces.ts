import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { ImagePart, OtherPart, Part, TextPart } from "../model/part.ts";
import type { ImageSize } from "./image-size.ts";
import { refusal, requireObject, requireString } from "./refusal.ts";

/** Reads one object of a `content` list. `type` is its type, already seen to be a string. */
export type PieceReader = (wire: JsonObject, type: string, path: string) => Part;

const CONTENT_SHAPE = "a string, a list of content parts, or null";

/** The pieces of a `content`: null, absent and empty ones have none. */
export function readPieces(content: unknown, path: string, read: PieceReader): Part[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content, wire: content }];
  if (!Array.isArray(content)) throw refusal(path, CONTENT_SHAPE);
  return content.map((piece, index) => {
    const at = `${path}[${index}]`;
    const wire = requireObject(piece, at, "a content part with a `type`");
    return read(wire, requireString(wire["type"], `${at}.type`, "the kind of the content part"), at);
  });
}

export function readText(wire: JsonObject, path: string): TextPart {
  return { kind: "text", text: requireString(wire["text"], `${path}.text`, "the text of the part"), wire };
}

/** An image whose size is told by its data, or else by `width` and `height` that the agent declared. */
export function imagePart(wire: JsonObject, size: ImageSize | null, declared: JsonObject, detail: unknown): ImagePart {
  return {
    kind: "image",
    width: size?.width ?? positive(declared["width"]),
    height: size?.height ?? positive(declared["height"]),
    detail: detail === "low" || detail === "high" ? detail : "auto",
    wire,
  };
}

function positive(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : null;
}

/** The reading of a tool result's content: its text, and what is not text. */
export function resultReading(pieces: readonly Part[]): {
  readonly text: string;
  readonly attachments: readonly (ImagePart | OtherPart)[];
} {
  const only = pieces[0];
  if (only === undefined) return { text: "", attachments: [] };
  if (pieces.length === 1 && only.kind === "text") return { text: only.text, attachments: [] };
  const texts: string[] = [];
  const attachments: (ImagePart | OtherPart)[] = [];
  for (const piece of pieces) {
    if (piece.kind === "text") texts.push(piece.text);
    else if (piece.kind === "image" || piece.kind === "other") attachments.push(piece);
    else attachments.push({ kind: "other", wire: piece.wire });
  }
  return { text: texts.join("\n"), attachments };
}

/**
 * A tool's output as wire content: text and lists of typed parts as they are (each part's `type` in `partTypes`),
 * anything else as its JSON text, nothing as the empty string.
 */
export function resultContent(content: unknown, partTypes: ReadonlySet<string>, path: string): Json {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (Array.isArray(content) && content.length > 0 && content.every((piece) => isPartOf(piece, partTypes))) {
    return content as Json;
  }
  const text = JSON.stringify(content) as string | undefined;
  if (text === undefined) throw refusal(path, "a JSON value: the tool's result");
  return text;
}

function isPartOf(piece: unknown, partTypes: ReadonlySet<string>): boolean {
  if (!isJsonObject(piece)) return false;
  const type = piece["type"];
  return typeof type === "string" && partTypes.has(type) && (type !== "text" || typeof piece["text"] === "string");
}

/** A text part in the shape of the piece it replaces: a string content, or an object. */
export function textInPlaceOf(part: Part, text: string): TextPart {
  if (typeof part.wire === "string") return { kind: "text", text, wire: text };
  const wire: JsonObject = part.kind === "text" && isJsonObject(part.wire) ? { ...part.wire } : { type: "text" };
  wire["text"] = text;
  // Citations point into the text that is gone.
  delete wire["citations"];
  return { kind: "text", text, wire };
}

export function clearedArguments(text: string): JsonObject {
  return { _cleared: text };
}
