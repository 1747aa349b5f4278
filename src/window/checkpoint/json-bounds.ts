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
  const waiting: { readonly members: readonly unknown[] | object; readonly depth: number }[] = [];
  /** Counts a value; one that has members waits for them to be counted. */
  const see = (found: unknown, depth: number): BoundBroken | null => {
    // A value takes a character at least, and one that parts it from the next.
    characters += typeof found === "string" ? found.length + 2 : 2;
    if (characters > MOST_BYTES) return "too_big";
    if (isScalar(found)) return null;
    if (!isPlain(found)) return "not_json";
    if (depth > MOST_DEPTH) return "too_deep";
    waiting.push({ members: found, depth });
    return null;
  };
  let broken = see(value, 0);
  for (let next = waiting.pop(); next && broken === null; next = waiting.pop()) {
    const { members, depth } = next;
    if (!Array.isArray(members)) for (const key of Object.keys(members)) characters += key.length;
    for (const member of Array.isArray(members) ? members : Object.values(members)) {
      broken = see(member, depth + 1);
      if (broken !== null) break;
    }
  }
  return broken;
}

function isScalar(value: unknown): value is Exclude<Json, object> {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === (Array.isArray(value) ? Array.prototype : Object.prototype) || prototype === null;
}
