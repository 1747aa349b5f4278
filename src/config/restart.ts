import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Config } from "./schema.ts";
import { schemasOf, withSettings } from "./session-settings.ts";

/** Sections whose changes wait for the next start: sockets, files and modules are opened once. */
export function restartSections(config: Config): string[][] {
  return sectionsIn(schemasOf(config).json, []);
}

function sectionsIn(schema: JsonSchema, path: readonly string[]): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, node]) =>
    node["x-restart"] === true ? [[...path, key]] : sectionsIn(node, [...path, key]),
  );
}

/** `next` with the sections that wait for a restart as they are in `running`. */
export function keepRestartSections(running: Config, next: Config): Config {
  const kept = restartSections(running).reduce(
    (config, path) => withValueAt(config, path, sectionAt(running as unknown as JsonObject, path)),
    next as unknown as JsonObject,
  );
  return withSettings({ ...kept } as unknown as Config, schemasOf(running));
}

/** Dotted keys that differ. Lists, and mappings whose keys differ, count as one value. */
export function changedKeys(before: Json, after: Json, path = ""): string[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) =>
      changedKeys(before[key] ?? null, after[key] ?? null, path === "" ? key : `${path}.${key}`),
    );
  }
  return canonicalJson(before) === canonicalJson(after) ? [] : [path];
}

function sectionAt(config: JsonObject, path: readonly string[]): Json {
  return path.reduce<Json>((value, key) => (value as JsonObject)[key] as Json, config);
}

function withValueAt(config: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return config;
  return { ...config, [key]: rest.length === 0 ? value : withValueAt(config[key] as JsonObject, rest, value) };
}
