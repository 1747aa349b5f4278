import { hash } from "node:crypto";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { fieldKey, isTellingField } from "./envelope.ts";

/** Length of a digest: 128 bits in hex, far beyond any chance of two messages of a session sharing one. */
const DIGEST_LENGTH = 32;

function digestOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, DIGEST_LENGTH);
}

/**
 * Identity of a part: 32 hex digits of SHA-256 over its reading, so that an agent which writes the same content in
 * another shape is recognised. It does not depend on key order, on a string against one text part, on `cache_control`
 * (agents move it from message to message), or on a result's error flag (OpenAI has none on the wire).
 *
 * The empty string means "tells nothing": thinking, which agents may leave out of earlier turns, and message fields
 * that gateways add (`annotations`, `provider_specific_fields`).
 */
export function partDigest(part: Part): string {
  switch (part.kind) {
    case "text":
      return digestOf(`text ${part.text}`);
    case "thinking":
      return "";
    case "image":
      return digestOf(`image ${wireReading(part.wire)}`);
    case "tool_call":
      return digestOf(`tool_call ${framed(part.callId)}${framed(part.name)}${argumentsReading(part)}`);
    case "tool_result": {
      const attachments = part.attachments.map(partDigest).join(" ");
      return digestOf(`tool_result ${framed(part.callId)}${framed(attachments)}${part.text}`);
    }
    case "other": {
      const key = fieldKey(part);
      return key !== null && !isTellingField(key) ? "" : digestOf(`other ${wireReading(part.wire)}`);
    }
  }
}

/** Identity of a message: of its role and of the parts that tell something, in order. */
export function messageDigest(role: Role, partDigests: readonly string[]): string {
  let text: string = role;
  for (const digest of partDigests) if (digest !== "") text += ` ${digest}`;
  return digestOf(text);
}

/** Hash chain: the head after `digest` is added to a list whose head was `previous`. An empty list's head is "". */
export function chain(previous: string, digest: string): string {
  return digestOf(`${previous} ${digest}`);
}

function framed(text: string): string {
  return `${text.length}:${text} `;
}

function wireReading(wire: Json): string {
  if (!isJsonObject(wire) || !Object.hasOwn(wire, "cache_control")) return canonicalJson(wire);
  const bare: JsonObject = { ...wire };
  delete bare["cache_control"];
  return canonicalJson(bare);
}

/** Arguments that travel as an object have no key order to rely on; those that travel as text are taken as they are. */
function argumentsReading(part: { readonly wire: Json; readonly argumentsText: string }): string {
  const input = isJsonObject(part.wire) ? part.wire["input"] : undefined;
  return typeof input === "object" && input !== null ? canonicalJson(input) : part.argumentsText;
}
