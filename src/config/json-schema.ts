import { z } from "zod";
import type { Json } from "../model/json.ts";

/** The parts of JSON Schema that describing a config takes. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  default?: Json;
  examples?: Json[];
  enum?: Json[];
  const?: Json;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  required?: string[];
  /** A secret: accepted, never printed. */
  writeOnly?: boolean;
  /** A change takes effect at the next start only. */
  "x-restart"?: boolean;
  [keyword: string]: unknown;
}

/** Keys under which names of the user's own stand for settings of sessions. */
export const SETTINGS_BY_NAME: readonly (readonly string[])[] = [["profiles"], ["shadow", "candidates"]];

/** The schema of a config file as JSON Schema (2020-12): for editors, for error texts, for the documentation. */
export function configJsonSchema(config: z.ZodType, sessionSettings: z.ZodType): JsonSchema {
  const { $schema, ...whole } = toJsonSchema(config);
  const session = toJsonSchema(sessionSettings);
  // A profile is any part of a session's settings: where defaults fill the gaps no key is required.
  const settings = withoutDefaults(session);
  for (const path of SETTINGS_BY_NAME) schemaAt(whole, path)!.additionalProperties = settings;
  return {
    $schema,
    title: "contextd configuration",
    ...whole,
  };
}

/** The part of it that describes the settings of a session. */
export function settingsJsonSchema(config: JsonSchema): JsonSchema {
  return config.properties?.["profiles"]?.additionalProperties as JsonSchema;
}

function toJsonSchema(schema: z.ZodType): JsonSchema {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  return tidy(json);
}

/** Drops what says nothing: defaults of whole sections, the bounds of 53-bit integers, names of records. */
function tidy(node: JsonSchema): JsonSchema {
  const result: JsonSchema = { ...node };
  if (result.properties) {
    result.properties = Object.fromEntries(Object.entries(result.properties).map(([key, value]) => [key, tidy(value)]));
    delete result.default;
  }
  if (result.anyOf) result.anyOf = result.anyOf.map(tidy);
  if (result.items) result.items = tidy(result.items);
  if (typeof result.additionalProperties === "object") result.additionalProperties = tidy(result.additionalProperties);
  if (result.propertyNames?.["pattern"] === undefined) delete result.propertyNames;
  return result;
}

function withoutDefaults(node: JsonSchema): JsonSchema {
  const { default: _default, $schema: _schema, ...result } = node;
  if (result.properties) {
    result.properties = Object.fromEntries(
      Object.entries(result.properties).map(([key, value]) => [key, withoutDefaults(value)]),
    );
  }
  return result;
}

/** The schema of the value at `path`; null when no such key is legal. */
export function schemaAt(schema: JsonSchema, path: readonly string[]): JsonSchema | null {
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  for (const branch of [schema, ...(schema.anyOf ?? [])]) {
    const properties = branch.properties ?? {};
    const next = Object.hasOwn(properties, key)
      ? properties[key]
      : typeof branch.additionalProperties === "object"
        ? branch.additionalProperties
        : branch.items;
    const found = next ? schemaAt(next, rest) : null;
    if (found) return found;
  }
  return null;
}

/** The keys that may stand at a mapping; null when any may. */
export function legalKeys(schema: JsonSchema): string[] | null {
  const branch = [schema, ...(schema.anyOf ?? [])].find((candidate) => candidate.properties !== undefined);
  return branch?.properties ? Object.keys(branch.properties) : null;
}

/** The legal values in words: `a whole number from 0 to 65535`. */
export function legalValues(schema: JsonSchema): string {
  if (schema.anyOf) return either(schema.anyOf.map(legalValues));
  if (schema.enum) return either(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return "any value";
  return either(types.map((type) => typeInWords(type, schema)));
}

function typeInWords(type: string, schema: JsonSchema): string {
  switch (type) {
    case "integer":
      return `a whole number${range(schema)}`;
    case "number":
      return `a number${range(schema)}`;
    case "boolean":
      return "true or false";
    case "string":
      return "text";
    case "array":
      return schema.items ? `a list, each item ${legalValues(schema.items)}` : "a list";
    case "object": {
      if (schema.properties) return `a mapping of ${Object.keys(schema.properties).join(", ")}`;
      if (typeof schema.additionalProperties !== "object" || schema.additionalProperties.properties) return "a mapping";
      return `a mapping to ${legalValues(schema.additionalProperties)}`;
    }
    default:
      return type;
  }
}

function range(schema: JsonSchema): string {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  const bounds = [
    exclusiveMinimum === undefined ? null : `above ${exclusiveMinimum}`,
    minimum === undefined ? null : `of at least ${minimum}`,
    exclusiveMaximum === undefined ? null : `below ${exclusiveMaximum}`,
    maximum === undefined ? null : `of at most ${maximum}`,
  ].filter((bound) => bound !== null);
  return bounds.length === 0 ? "" : ` ${bounds.join(" and ")}`;
}

function either(options: readonly string[]): string {
  if (options.length < 2) return options.join("");
  return `${options.slice(0, -1).join(", ")} or ${options.at(-1)}`;
}

/** The type of a value in words, for "got …": never the value, which may be a secret. */
export function kindInWords(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return value === "" ? "empty text" : "text";
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return "a mapping";
}
