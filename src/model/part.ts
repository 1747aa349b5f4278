import type { Json } from "./json.ts";

/**
 * One piece of a message's content: what a provider calls a content part, a content block or a tool call.
 *
 * `wire` is the piece exactly as the agent sent it, in the session's message format; the other fields are
 * the reading of it that the rest of contextd works with. A part is never edited: an edit replaces the
 * whole part by a new one. Unknown pieces are `other`: carried through untouched, and counted.
 */
export type Part = TextPart | ImagePart | ThinkingPart | ToolCallPart | ToolResultPart | OtherPart;

export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  readonly wire: Json;
}

export interface ImagePart {
  readonly kind: "image";
  /** Pixels, where the wire form tells them (a decoded data URL header, or declared by the agent). */
  readonly width: number | null;
  readonly height: number | null;
  readonly detail: "low" | "high" | "auto";
  readonly wire: Json;
}

export interface ThinkingPart {
  readonly kind: "thinking";
  /** Empty for redacted thinking. Thinking is dropped whole or kept byte-identical, never edited. */
  readonly text: string;
  readonly wire: Json;
}

export interface ToolCallPart {
  readonly kind: "tool_call";
  readonly callId: string;
  readonly name: string;
  /** The arguments as JSON text, as the model wrote them; may be invalid JSON. */
  readonly argumentsText: string;
  readonly wire: Json;
}

export interface ToolResultPart {
  readonly kind: "tool_result";
  readonly callId: string;
  readonly isError: boolean;
  /** All text of the result; its non-text pieces are listed in `attachments`. */
  readonly text: string;
  readonly attachments: readonly (ImagePart | OtherPart)[];
  readonly wire: Json;
}

export interface OtherPart {
  readonly kind: "other";
  /** What it says, where that is known; absent: nobody can tell. */
  readonly text?: string;
  readonly wire: Json;
}

/** The text of a part that a reader (scorer, search, summariser) sees. Unknown parts read as their JSON. */
export function textOf(part: Part): string {
  switch (part.kind) {
    case "text":
    case "thinking":
    case "tool_result":
      return part.text;
    case "tool_call":
      return `${part.name} ${part.argumentsText}`;
    case "image":
      return "";
    case "other":
      return part.text ?? JSON.stringify(part.wire);
  }
}
