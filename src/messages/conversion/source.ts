import { isJsonObject, type Json } from "../../model/json.ts";
import type { ImagePart, OtherPart } from "../../model/part.ts";
import { splitDataUrl } from "../image-size.ts";

/** Where an image's data is, whichever format it came in. */
export type ImageSource =
  | { readonly kind: "data"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "url"; readonly url: string };

/** Null for an image that lives in one provider's file store: another provider cannot see it. */
export function imageSource(part: ImagePart): ImageSource | null {
  if (!isJsonObject(part.wire)) return null;
  const { image_url: image, source } = part.wire;
  const url = isJsonObject(image) ? image["url"] : image;
  if (typeof url === "string") return sourceOfUrl(url);
  if (!isJsonObject(source)) return null;
  if (typeof source["url"] === "string") return sourceOfUrl(source["url"]);
  const { media_type: mediaType, data } = source;
  if (typeof mediaType !== "string" || typeof data !== "string") return null;
  return { kind: "data", mediaType, base64: data };
}

function sourceOfUrl(url: string): ImageSource {
  const data = splitDataUrl(url);
  return data === null ? { kind: "url", url } : { kind: "data", mediaType: data.mediaType, base64: data.base64 };
}

/**
 * What the other provider's model is told of a part that its format has no place for: the words of a refusal, the
 * JSON of an older function call, and otherwise the kind of the part in brackets.
 */
export function noteOf(part: OtherPart | ImagePart): string {
  if (part.kind === "image") return "[image]";
  if (!isJsonObject(part.wire)) return "[unknown content]";
  const { type, refusal, function_call: called } = part.wire;
  if (typeof refusal === "string") return refusal;
  if (called !== undefined) return `[function_call ${JSON.stringify(called)}]`;
  const kind = typeof type === "string" ? type : Object.keys(part.wire)[0];
  return `[${kind}]`;
}

/** True for fields that gateways add to a message and that say nothing to another provider's model. */
export function isSilentField(part: OtherPart): boolean {
  if (!isJsonObject(part.wire)) return false;
  const { type, refusal, function_call: called, audio } = part.wire;
  return typeof type !== "string" && refusal === undefined && called === undefined && audio === undefined;
}

/** A call's arguments as an object. Models may write arguments that are not one: their text is carried in a field. */
export function parseObject(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Not JSON: carried as text below.
  }
  return text.trim() === "" ? {} : { _arguments: text };
}
