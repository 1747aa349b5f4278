import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { isJsonObject } from "../model/json.ts";

/** The error for a message that cannot be read. `expected` completes "PATH must be …". */
export function refusal(path: string, expected: string): ContextdError {
  return new ContextdError("invalid_params", `${path} must be ${expected}.`, { path });
}

export function requireObject(value: unknown, path: string, what: string): JsonObject {
  if (!isJsonObject(value)) throw refusal(path, `an object: ${what}`);
  return value;
}

export function requireString(value: unknown, path: string, what: string): string {
  if (typeof value !== "string") throw refusal(path, `a string: ${what}`);
  return value;
}
