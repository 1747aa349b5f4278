import type { Json, JsonObject } from "../model/json.ts";
import { readSecretFile, whyUnreadable } from "./bounded-file.ts";
import { ConfigError, type ConfigIssue, unknownKey } from "./config-error.ts";
import { type JsonSchema, legalKeys, schemaAt } from "./json-schema.ts";
import { type Layer, merge } from "./layer.ts";
import { readYaml, YamlError } from "./yaml.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = "CONTEXTD_";
const FILE_SUFFIX = "_FILE";

/** Variables with the prefix that are no settings. */
export const OTHER_VARIABLES: Readonly<Record<string, string>> = {
  CONTEXTD_CONFIG: "the config file, where no --config is given",
  CONTEXTD_URL: "the daemon that the client commands call",
  CONTEXTD_TOKEN: "the token that the client commands send",
  CONTEXTD_TOKEN_FILE: "a file with that token",
  CONTEXTD_LONG: "long test runs",
  CONTEXTD_FAULTS: "faults injected by tests",
};

interface Setting {
  readonly variable: string;
  readonly path: readonly string[];
  readonly value: Json;
}

/**
 * The settings of the environment. `CONTEXTD_SERVER__PORT` is `server.port`: two underscores are a dot, case is
 * folded. A key that takes text takes the variable as it is; others are read as YAML, whole sections included.
 * A secret may be given as `CONTEXTD_<KEY>_FILE`, a file whose content is the value. Throws ConfigError for a
 * variable that names no key.
 */
export function readEnvironmentLayer(environment: Environment, schema: JsonSchema): Layer {
  const settings: Setting[] = [];
  const issues: ConfigIssue[] = [];
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || text === undefined || Object.hasOwn(OTHER_VARIABLES, variable)) continue;
    const setting = readVariable(variable, text, schema);
    if ("problem" in setting) issues.push(setting);
    else settings.push(setting);
  }
  issues.push(...givenTwice(settings));
  if (issues.length > 0) throw new ConfigError(issues);

  // A whole section first, so that a single key of it wins whatever the order of the environment.
  settings.sort((a, b) => a.path.length - b.path.length);
  return {
    value: settings.reduce<JsonObject>((all, { path, value }) => merge(all, nested(path, value)), {}),
    place: (path) => {
      const setters = settings.filter((setting) => startsWith(path, setting.path) || startsWith(setting.path, path));
      return setters.length === 0 ? "environment" : `environment ${setters.at(-1)!.variable}`;
    },
  };
}

function readVariable(variable: string, text: string, schema: JsonSchema): Setting | ConfigIssue {
  const issue = (path: readonly string[], problem: string): ConfigIssue => ({
    path: path.join("."),
    problem,
    place: `environment ${variable}`,
  });
  const path = pathOf(variable);
  const node = schemaAt(schema, path);
  if (node) {
    try {
      return { variable, path, value: takesText(node) ? text : readYaml(text).value };
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      return issue(path, `is no YAML: ${error.message}`);
    }
  }
  const secretPath = pathOf(variable.slice(0, -FILE_SUFFIX.length));
  const secret = variable.endsWith(FILE_SUFFIX) ? schemaAt(schema, secretPath) : null;
  if (!secret) return issue(path, whyUnknown(path, schema));
  if (secret.writeOnly !== true) {
    return issue(secretPath, `is no secret: set it in ${variable.slice(0, -FILE_SUFFIX.length)} or in the config file`);
  }
  try {
    return { variable, path: secretPath, value: readSecretFile(text) };
  } catch (error) {
    return issue(secretPath, `cannot be read from its file: ${whyUnreadable(error)}`);
  }
}

function pathOf(variable: string): string[] {
  return variable.slice(PREFIX.length).toLowerCase().split("__");
}

/** The first word of the path that is no key, with the nearest legal one. */
function whyUnknown(path: readonly string[], schema: JsonSchema): string {
  const depth = path.findIndex((_, index) => !schemaAt(schema, path.slice(0, index + 1)));
  const above = schemaAt(schema, path.slice(0, depth));
  return unknownKey(path[depth] ?? "", (above && legalKeys(above)) ?? []);
}

function givenTwice(settings: readonly Setting[]): ConfigIssue[] {
  const seen = new Map<string, string>();
  return settings.flatMap(({ variable, path }) => {
    const key = path.join(".");
    const first = seen.get(key);
    seen.set(key, variable);
    return first === undefined
      ? []
      : [{ path: key, problem: `is also set by ${first}`, place: `environment ${variable}` }];
  });
}

/** Whether text is all that the key takes: such a variable is not read as YAML, so that 0123 stays 0123. */
function takesText(node: JsonSchema): boolean {
  if (node.anyOf) return node.anyOf.every((branch) => branch.type === "null" || takesText(branch));
  if (node.enum) return node.enum.every((value) => typeof value === "string");
  return node.const === undefined && [node.type ?? []].flat().includes("string");
}

function nested(path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  return { [key ?? ""]: rest.length === 0 ? value : nested(rest, value) };
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => path[index] === key);
}
