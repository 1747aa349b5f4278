import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { ConfigError, describeIssues, type Finding, valueAt } from "./config-error.ts";
import { type Environment, readEnvironmentLayer } from "./environment-layer.ts";
import { readFileLayer } from "./file-layer.ts";
import { SETTINGS_BY_NAME } from "./json-schema.ts";
import { type Layer, mergeConfigs, mergeSettings } from "./layer.ts";
import { readBuiltInProfiles } from "./profiles.ts";
import type { Config } from "./schema.ts";
import type { ConfigSchemas } from "./schemas.ts";
import { SESSION_KEYS, withSettings } from "./session-settings.ts";

/** A setting of the command line. */
export interface FlagSetting {
  /** As typed: `--port`. */
  readonly flag: string;
  readonly path: readonly string[];
  readonly value: Json;
}

/** Where a config comes from. Later members win: defaults, file, environment, flags. */
export interface ConfigSources {
  readonly file: string | null;
  readonly environment: Environment;
  readonly flags: readonly FlagSetting[];
}

export const NO_SOURCES: ConfigSources = { file: null, environment: {}, flags: [] };

/**
 * Reads, merges and validates a config; frozen through and through. Its profiles are the built-in ones, amended
 * and added to. Throws ConfigError naming each mistake, where it stands and what is legal.
 */
export function loadConfig(sources: ConfigSources, schemas: ConfigSchemas): Config {
  return parseConfig(readLayers(sources, schemas), schemas);
}

/** The plug-in modules that the sources name: they are loaded first, since they add to the legal names. */
export function readPluginPaths(sources: ConfigSources, schemas: ConfigSchemas): string[] {
  const layers = readLayers(sources, schemas);
  const plugins = merged(layers)["plugins"];
  return Array.isArray(plugins) ? plugins.filter((path) => typeof path === "string") : [];
}

function readLayers(sources: ConfigSources, schemas: ConfigSchemas): Layer[] {
  const profiles: Layer = { value: { profiles: readBuiltInProfiles() }, place: () => "built-in profile" };
  const layers = [profiles];
  if (sources.file !== null) layers.push(readFileLayer(sources.file));
  layers.push(readEnvironmentLayer(sources.environment, schemas.json));
  for (const { flag, path, value } of sources.flags) {
    layers.push({ value: nest(path, value), place: () => flag });
  }
  return layers;
}

function merged(layers: readonly Layer[]): JsonObject {
  return layers.reduce<JsonObject>((all, layer) => mergeConfigs(all, layer.value), {});
}

function parseConfig(layers: readonly Layer[], schemas: ConfigSchemas): Config {
  const given = merged(layers);
  const parsed = schemas.config.safeParse(given);
  const findings = parsed.success ? [] : describeIssues(parsed.error.issues, given, schemas.json);
  findings.push(...namedSettingsFindings(given, schemas));
  if (!parsed.success || findings.length > 0) {
    throw new ConfigError(
      findings.map(({ path, problem }) => ({ path: path.join("."), problem, place: placeOf(path, layers) })),
    );
  }
  return withSettings(parsed.data as Config, schemas);
}

/**
 * Settings of a name are checked as a session would have them: over the config. Only what they themselves bring in is
 * reported, so that a mistake of the config is told once.
 */
function namedSettingsFindings(given: JsonObject, { session, settingsJson }: ConfigSchemas): Finding[] {
  const base = Object.fromEntries(
    SESSION_KEYS.filter((key) => Object.hasOwn(given, key)).map((key) => [key, given[key]!]),
  );
  const known = new Set(session.safeParse(base).error?.issues.map(issueKey));
  return SETTINGS_BY_NAME.flatMap((above) => {
    const byName = valueAt(given, above);
    return Object.entries(isJsonObject(byName) ? byName : {}).flatMap(([name, settings]) => {
      if (!isJsonObject(settings)) return [];
      const whole = mergeSettings(base, settings);
      const parsed = session.safeParse(whole);
      if (parsed.success) return [];
      const own = parsed.error.issues.filter((issue) => !known.has(issueKey(issue)));
      return describeIssues(own, whole, settingsJson).map(({ path, problem }) => ({
        path: [...above, name, ...path],
        problem,
      }));
    });
  });
}

function issueKey(issue: { readonly code?: string | undefined; readonly path: readonly PropertyKey[] }): string {
  return `${issue.code} ${issue.path.join(".")}`;
}

/** The last layer that sets the path; failing that, one that sets the section it stands in; else nowhere. */
function placeOf(path: readonly string[], layers: readonly Layer[]): string {
  for (let length = path.length; length > 0; length--) {
    const above = path.slice(0, length);
    const layer = layers.findLast((candidate) => valueAt(candidate.value, above) !== undefined);
    if (layer) return layer.place(above);
  }
  return "";
}

function nest(path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  return { [key ?? ""]: rest.length === 0 ? value : nest(rest, value) };
}
