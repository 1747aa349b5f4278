import type { Json, JsonObject } from "../model/json.ts";
import { isJsonObject } from "../model/json.ts";
import type { Part } from "../model/part.ts";

/*
 * An envelope is the wire message with its content taken out: the same keys in the same order, where a key whose
 * value lives in the parts holds PLACE, and every other key holds its value. Empty values (null, "", [], {}) stay in
 * the envelope, so that each empty shape comes back as it was. Because every non-empty object or array is taken out,
 * PLACE cannot be confused with a value of the agent's.
 *
 * A field that the format does not know and that may hold content (an object, an array, a long string) becomes a
 * field part: an `other` or `thinking` part whose wire is `{ key: value }`.
 */

/** Stands for a value that the parts hold. */
export const PLACE: JsonObject = Object.freeze({ part: true });

/** A string field up to this many characters is a label (an id, a name, a status) and stays in the envelope. */
const LABEL_LENGTH = 64;

/** Labels by nature, whatever their length. */
const LABELS: ReadonlySet<string> = new Set(["role", "type", "name", "id", "tool_call_id"]);

/** Message fields in which OpenAI-compatible providers and gateways return the model's reasoning. */
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "thinking_blocks",
]);

/** Fields that tell the message apart from another, beside its content and calls: see digest.ts. */
const TELLING_FIELDS: ReadonlySet<string> = new Set(["refusal", "function_call", "audio"]);

export function isEmptyValue(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (typeof value !== "object") return false;
  for (const _ in value) return false;
  return true;
}

function holdsContent(key: string, value: Json): boolean {
  if (isEmptyValue(value)) return false;
  if (typeof value === "object") return true;
  if (typeof value !== "string" || LABELS.has(key)) return false;
  return value.length > LABEL_LENGTH || REASONING_FIELDS.has(key) || TELLING_FIELDS.has(key);
}

/** Assignment that also works for the key `__proto__`, which JSON may hold. */
export function put(target: JsonObject, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}

function fieldPart(key: string, value: Json): Part {
  const wire: JsonObject = {};
  put(wire, key, value);
  if (!REASONING_FIELDS.has(key)) return { kind: "other", wire };
  return { kind: "thinking", text: typeof value === "string" ? value : JSON.stringify(value), wire };
}

/** The key of a field part; null for a piece of the content. Content pieces have a `type`, field parts do not. */
export function fieldKey(part: Part): string | null {
  if (part.kind !== "other" && part.kind !== "thinking") return null;
  if (!isJsonObject(part.wire) || typeof part.wire["type"] === "string") return null;
  return Object.keys(part.wire)[0] ?? null;
}

/** True for a field of the message itself: it stands beside the content and cannot be alone in a message. */
export function isMessageField(part: Part): boolean {
  return fieldKey(part) !== null;
}

export function isTellingField(key: string): boolean {
  return TELLING_FIELDS.has(key);
}

/**
 * Takes the envelope off a message. The values of `owned` keys go into the format's own parts; fields that hold
 * content are pushed to `fields`, in the order of their names, so that equal messages read equal.
 */
export function takeEnvelope(wire: JsonObject, owned: readonly string[], fields: Part[]): JsonObject {
  const envelope: JsonObject = {};
  const taken: string[] = [];
  for (const key of Object.keys(wire)) {
    const value = wire[key] as Json | undefined;
    if (value === undefined) continue;
    if (owned.includes(key)) put(envelope, key, isEmptyValue(value) ? value : PLACE);
    else if (holdsContent(key, value)) {
      put(envelope, key, PLACE);
      taken.push(key);
    } else put(envelope, key, value);
  }
  if (taken.length > 1) taken.sort();
  for (const key of taken) fields.push(fieldPart(key, wire[key] as Json));
  return envelope;
}

function isPlace(value: Json | undefined): boolean {
  return isJsonObject(value) && value["part"] === true;
}

/** What an envelope holds under a key when its parts are gone: the empty value it had, or undefined. */
export function emptyShape(envelope: JsonObject, key: string): Json | undefined {
  const value = envelope[key];
  return isPlace(value) ? undefined : value;
}

/**
 * Puts the envelope on again. `values` holds the owned keys; an undefined value leaves the key out. Field parts
 * return to their keys, and those that are gone leave no trace.
 */
export function putEnvelope(
  envelope: JsonObject,
  values: Readonly<Record<string, Json | undefined>>,
  parts: readonly Part[],
): JsonObject {
  let fields: JsonObject | null = null;
  for (const part of parts) {
    const key = fieldKey(part);
    if (key === null) continue;
    fields ??= {};
    put(fields, key, (part.wire as JsonObject)[key] as Json);
  }
  const wire: JsonObject = {};
  for (const key of Object.keys(envelope)) {
    if (Object.hasOwn(values, key)) {
      const value = values[key];
      if (value !== undefined) put(wire, key, value);
      continue;
    }
    const kept = envelope[key] as Json;
    if (!isPlace(kept)) put(wire, key, kept);
    else if (fields !== null && Object.hasOwn(fields, key)) put(wire, key, fields[key] as Json);
  }
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (value !== undefined && !Object.hasOwn(wire, key)) put(wire, key, value);
  }
  return wire;
}

/**
 * The `content` of a message made of pieces. A piece that was a whole string content has a string wire; beside other
 * pieces it becomes a text part, the same shape in both formats.
 */
export function contentOf(pieces: readonly Part[]): Json | undefined {
  const first = pieces[0];
  if (first === undefined) return undefined;
  if (pieces.length === 1 && typeof first.wire === "string") return first.wire;
  return pieces.map((piece) => (typeof piece.wire === "string" ? { type: "text", text: piece.wire } : piece.wire));
}
