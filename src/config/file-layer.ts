import { dirname, resolve } from "node:path";
import type { Json, JsonObject } from "../model/json.ts";
import { isJsonObject } from "../model/json.ts";
import { readBoundedFile, whyUnreadable } from "./bounded-file.ts";
import { ConfigError } from "./config-error.ts";
import type { Layer } from "./layer.ts";
import { readYaml, YAML_BYTES, type YamlDocument, YamlError } from "./yaml.ts";

/** Keys whose paths are relative to the config file. `store.path` is relative to the working directory. */
const RELATIVE_TO_FILE = [
  ["server", "auth", "tokens_file"],
  ["server", "tls", "cert_file"],
  ["server", "tls", "key_file"],
  ["llm", "summarizer", "api_key_file"],
  ["llm", "judge", "api_key_file"],
  ["plugins"],
] as const;

/** The settings of a YAML (or JSON) file, its paths made absolute. Throws ConfigError with file, line and column. */
export function readFileLayer(file: string): Layer {
  const { value, positionOf } = readDocument(file);
  if (value !== null && !isJsonObject(value)) throw refused(`${file}:1:1`, "the file must hold a mapping of keys");
  return {
    value: withAbsolutePaths(value ?? {}, dirname(resolve(file))),
    place: (path) => {
      const { line, column } = positionOf(path);
      return `${file}:${line}:${column}`;
    },
  };
}

function readDocument(file: string): YamlDocument {
  let text: string;
  try {
    text = readBoundedFile(file, YAML_BYTES);
  } catch (error) {
    throw refused(file, `the config file cannot be read: ${whyUnreadable(error)}`, error);
  }
  try {
    return readYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw refused(`${file}:${error.position.line}:${error.position.column}`, error.message, error);
  }
}

function refused(place: string, problem: string, cause?: unknown): ConfigError {
  return new ConfigError([{ path: "", problem, place }], { cause });
}

function withAbsolutePaths(settings: JsonObject, folder: string): JsonObject {
  let result = settings;
  for (const path of RELATIVE_TO_FILE) result = mapAt(result, path, (value) => absolute(value, folder));
  return result;
}

/** `settings` with the value at `path` mapped; unchanged where the path leads nowhere. */
function mapAt(settings: JsonObject, path: readonly string[], change: (value: Json) => Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(settings, key)) return settings;
  const value = settings[key] as Json;
  if (rest.length === 0) return { ...settings, [key]: change(value) };
  return isJsonObject(value) ? { ...settings, [key]: mapAt(value, rest, change) } : settings;
}

function absolute(value: Json, folder: string): Json {
  if (Array.isArray(value)) return value.map((item) => absolute(item, folder));
  return typeof value === "string" && value !== "" ? resolve(folder, value) : value;
}
