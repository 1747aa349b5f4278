/** A JSON value as it travels on the wire. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object as it travels on the wire. */
export interface JsonObject {
  [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * JSON text with the keys of every object in code-unit order, so that equal values have equal texts.
 * Used wherever a value is hashed or compared: never sent to a client.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(",")}}`;
}
