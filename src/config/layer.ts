import type { Json, JsonObject } from "../model/json.ts";
import { isJsonObject } from "../model/json.ts";
import { DEFAULT_POLICY } from "./sections/eviction.ts";

/** Settings from one source. Later layers win over earlier ones. */
export interface Layer {
  readonly value: JsonObject;
  /** Where this source sets `path`, or something inside it, in words for people. */
  place(path: readonly string[]): string;
}

/** Mappings merge key by key; everything else (lists too) is replaced. Neither argument is changed. */
export function merge(base: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isJsonObject(below) && isJsonObject(value) ? merge(below, value) : value);
  }
  return Object.fromEntries(merged);
}

/**
 * Merges settings of a session. Two keys do not merge: a cascade is replaced as a whole, since its steps
 * only make sense together; and a layer that names another policy starts from no options.
 */
export function mergeSettings(base: JsonObject, over: JsonObject): JsonObject {
  const merged = merge(base, over);
  const cascade = memberOf(over, "compression", "cascade");
  if (cascade !== undefined) merged["compression"] = { ...(merged["compression"] as JsonObject), cascade };
  const policy = memberOf(over, "eviction", "policy");
  if (policy !== undefined && policy !== (memberOf(base, "eviction", "policy") ?? DEFAULT_POLICY)) {
    const options = memberOf(over, "eviction", "options") ?? {};
    merged["eviction"] = { ...(merged["eviction"] as JsonObject), options };
  }
  return merged;
}

/** Merges two layers of a whole config: its settings, and its profiles one by one. */
export function mergeConfigs(base: JsonObject, over: JsonObject): JsonObject {
  const merged = mergeSettings(base, over);
  const below = base["profiles"];
  const above = over["profiles"];
  if (!isJsonObject(below) || !isJsonObject(above)) return merged;
  const profiles = new Map<string, Json>(Object.entries(below));
  for (const [name, settings] of Object.entries(above)) {
    const amended = profiles.get(name);
    profiles.set(name, isJsonObject(amended) && isJsonObject(settings) ? mergeSettings(amended, settings) : settings);
  }
  return { ...merged, profiles: Object.fromEntries(profiles) };
}

function memberOf(settings: JsonObject, section: string, key: string): Json | undefined {
  const members = settings[section];
  return isJsonObject(members) && Object.hasOwn(members, key) ? members[key] : undefined;
}
