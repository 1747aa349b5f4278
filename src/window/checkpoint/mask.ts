import type { Json, JsonObject } from "../../model/json.ts";

/** A text with its secrets masked; at most twice as long as it came. */
export type Mask = (text: string) => string;

/** A hash or an id of content, as the agent gives it for its files and its commit: nothing to hide. */
const DIGEST = /^(?:[a-z][a-z0-9-]{0,15}[:=-])?[0-9a-f]{7,128}$/i;

/**
 * What an agent tells of its environment with its secrets masked, in keys and values. A value is also judged by the
 * name that it stands under, as in a file of settings: `{"DB_PASSWORD": "…"}`. Digests of files stay whatever the files
 * are called: they are compared later.
 */
export function maskedEnvironment(environment: JsonObject, mask: Mask): JsonObject {
  const { files, ...others } = environment;
  const masked = maskedObject(others, mask, maskedByName);
  if (files === undefined) return masked;
  const byName: ByName = (name, text) => (DIGEST.test(text) ? text : maskedByName(name, text, mask));
  return { ...masked, files: maskedValue("files", files, mask, byName) };
}

type ByName = (name: string, text: string, mask: Mask) => string;

function maskedByName(name: string, text: string, mask: Mask): string {
  const alone = mask(text);
  const before = `"${name}": "`;
  const inContext = mask(`${before}${alone}"`);
  return inContext.startsWith(before) && inContext.endsWith('"') ? inContext.slice(before.length, -1) : alone;
}

function maskedValue(name: string, value: Json, mask: Mask, byName: ByName): Json {
  if (typeof value === "string") return byName(name, value, mask);
  if (Array.isArray(value)) return value.map((item) => maskedValue(name, item, mask, byName));
  if (typeof value === "object" && value !== null) return maskedObject(value, mask, byName);
  return value;
}

function maskedObject(object: JsonObject, mask: Mask, byName: ByName): JsonObject {
  const members = new Map<string, Json>();
  for (const [key, value] of Object.entries(object)) {
    const shown = mask(key);
    let name = shown;
    // Two keys that are the same once masked stay two.
    for (let again = 2; members.has(name); again++) name = `${shown} ${again}`;
    members.set(name, maskedValue(key, value, mask, byName));
  }
  return Object.fromEntries(members);
}
