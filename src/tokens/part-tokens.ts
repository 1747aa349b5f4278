import type { ImagePart, Part } from "../model/part.ts";
import { imageTokens } from "./image-tokens.ts";

/**
 * The texts of a part that cost tokens, in order. For a caller that has to count the long ones elsewhere before
 * `partTokens` asks for them.
 */
export function countedTexts(part: Part): readonly string[] {
  switch (part.kind) {
    case "text":
      return [part.text];
    case "thinking":
      // Redacted thinking has no text to read, and its cipher text is what is sent.
      return [part.text === "" ? JSON.stringify(part.wire) : part.text];
    case "tool_call":
      return [part.name, part.callId, part.argumentsText];
    case "tool_result":
      return [part.callId, part.text, ...part.attachments.flatMap(countedTexts)];
    case "image":
      return [];
    case "other":
      return [JSON.stringify(part.wire)];
  }
}

function imagesOf(part: Part): readonly ImagePart[] {
  if (part.kind === "image") return [part];
  return part.kind === "tool_result" ? part.attachments.filter((piece) => piece.kind === "image") : [];
}

/**
 * Raw tokens of a part: its texts (a tool call's name, id and arguments; a result's id, text and attachments), and its
 * images by the provider's formula. A part of an unknown kind costs its JSON, never nothing.
 *
 * @param count tokens of a text in the model's encoding
 * @param provider of the model, as in the catalogue: decides what an image costs
 */
export function partTokens(part: Part, count: (text: string) => number, provider: string): number {
  const texts = countedTexts(part).reduce((sum, text) => sum + count(text), 0);
  const tokens = imagesOf(part).reduce((sum, image) => sum + imageTokens(image, provider), texts);
  return part.kind === "other" ? Math.max(1, tokens) : tokens;
}
