import type { Json } from "../../model/json.ts";
import { MOST_BYTES, MOST_DEPTH } from "./document.ts";

/** Why a value is no document that is worth a closer look. */
export type BoundBroken = "not_json" | "too_deep" | "too_big";

/**
 * Holds a value of anyone's to what a document may be at most, without recursion and no further than to the first
 * breach: plain JSON, nested within MOST_DEPTH, of at most MOST_BYTES characters. Null: it is, and may be walked.
 */
export function boundBroken(value: unknown): BoundBroken | null {
  let characters = 0;
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value: current, depth } = next;
    if (depth > MOST_DEPTH) return "too_deep";
    // Each value takes a character at least, and one that parts it from the next.
    characters += typeof current === "string" ? current.length + 2 : 2;
    if (characters > MOST_BYTES) return "too_big";
    if (isScalar(current)) continue;
    if (!isPlain(current)) return "not_json";
    if (Array.isArray(current) && current.length > MOST_BYTES / 2) return "too_big";
    for (const [key, inner] of Object.entries(current)) {
      if (!Array.isArray(current)) characters += key.length;
      waiting.push({ value: inner, depth: depth + 1 });
    }
  }
  return null;
}

function isScalar(value: unknown): value is Exclude<Json, object> {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === (Array.isArray(value) ? Array.prototype : Object.prototype) || prototype === null;
}
