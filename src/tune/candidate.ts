import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../model/json.ts";

/** Settings to try: what differs from the settings that the search starts from, by the path of the setting. */
export type Candidate = Readonly<Record<string, Json>>;

/** The settings that the search starts from. */
export const START: Candidate = {};

/** Equal candidates have equal keys. */
export function keyOf(candidate: Candidate): string {
  return canonicalJson(candidate);
}

/** How many settings differ: what a reader of the profile has to understand. */
export function complexityOf(candidate: Candidate): number {
  return Object.keys(candidate).length;
}

/** The candidate as settings of a session. */
export function settingsOf(candidate: Candidate): JsonObject {
  const settings: JsonObject = {};
  for (const [path, value] of Object.entries(candidate)) {
    const keys = path.split(".");
    const last = keys.pop() as string;
    let section = settings;
    for (const key of keys) {
      const below = section[key];
      section[key] = isJsonObject(below) ? below : {};
      section = section[key] as JsonObject;
    }
    section[last] = value;
  }
  return settings;
}

/** The value of a setting by its path. Throws RangeError where there is none: the path is a mistake of the program. */
export function valueAt(settings: object, path: string): Json {
  const value = path.split(".").reduce<unknown>((at, key) => (at as JsonObject | undefined)?.[key], settings);
  if (value === undefined) throw new RangeError(`there is no setting ${path}`);
  return value as Json;
}
