import type { Json } from "../model/json.ts";
import type { Part } from "../model/part.ts";

/**
 * A part as stored content. The part's text and its call id stand in `wire` too; there they are replaced by a
 * mark, so that a text is stored once and equal results of different calls are one content.
 */
const TEXT_MARK = { $: "text" } as const;
const CALL_MARK = { $: "call" } as const;
const SHORT = 24;

function mainText(part: Part): string | null {
  switch (part.kind) {
    case "text":
    case "thinking":
    case "tool_result":
      return part.text;
    case "tool_call":
      return part.argumentsText;
    case "other":
      return part.text ?? null;
    default:
      return null;
  }
}

function isMark(value: Json): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && "$" in value;
}

function mark(value: Json, text: string | null, callId: string | null): Json {
  if (typeof value === "string") {
    if (text !== null && value === text && (text.length > SHORT || value === text)) return TEXT_MARK;
    if (callId !== null && value === callId) return CALL_MARK;
    return value;
  }
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => mark(item, text, callId));
  if (isMark(value)) throw new MarkInContent();
  const marked: Record<string, Json> = Object.create(null) as Record<string, Json>;
  for (const key of Object.keys(value)) marked[key] = mark(value[key] as Json, text, callId);
  return marked;
}

function unmark(value: Json, text: string | null, callId: string | null): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => unmark(item, text, callId));
  if (value["$"] === "text" && Object.keys(value).length === 1) return text;
  if (value["$"] === "call" && Object.keys(value).length === 1) return callId;
  const plain: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    Object.defineProperty(plain, key, {
      value: unmark(value[key] as Json, text, callId),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return plain;
}

class MarkInContent extends Error {}

/** The stored text of a part. Parts that differ only in their call id have the same text. */
export function encodePart(part: Part): string {
  const callId = part.kind === "tool_call" || part.kind === "tool_result" ? part.callId : null;
  try {
    const wire = mark(part.wire, mainText(part), callId);
    const stored = callId === null ? { marked: true, ...part, wire } : { marked: true, ...part, callId: null, wire };
    return JSON.stringify(stored);
  } catch (error) {
    if (!(error instanceof MarkInContent)) throw error;
    return JSON.stringify({ marked: false, ...part });
  }
}

/** The part of a stored text; `callId` is that of the block it stands in, when it is a call or a result. */
export function decodePart(stored: string, callId: string | null): Part {
  const { marked, ...fields } = JSON.parse(stored) as { marked: boolean } & Part;
  if (!marked) return fields as Part;
  const named = "callId" in fields ? { ...fields, callId: callId ?? "" } : fields;
  const part = named as Part;
  return { ...part, wire: unmark(part.wire, mainText(part), callId) } as Part;
}
