import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";

/** Keywords that say something to people only. */
const WORDS = new Set(["$schema", "title", "description", "format"]);

/**
 * Where a value breaks a JSON Schema, by path: for the keywords that our published schemas use. A keyword that it does
 * not know is a finding too, so that none is passed over.
 */
export function schemaFindings(schema: JsonObject, value: Json, path = "$"): string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    if (WORDS.has(keyword)) return [];
    const check = KEYWORDS[keyword];
    if (check === undefined) return [`${path}: unknown keyword ${keyword}`];
    return check(rule, value, path, schema);
  });
}

type Check = (rule: Json, value: Json, path: string, schema: JsonObject) => string[];

const when = (broken: boolean, path: string, what: string) => (broken ? [`${path}: ${what}`] : []);
const isText = (value: Json): value is string => typeof value === "string";
const same = (a: Json, b: Json) => JSON.stringify(a) === JSON.stringify(b);

const KEYWORDS: Readonly<Record<string, Check>> = {
  type: (rule, value, path) => when(![rule].flat().some((type) => isOfType(type as string, value)), path, "type"),
  const: (rule, value, path) => when(!same(rule, value), path, "const"),
  enum: (rule, value, path) => when(!(rule as Json[]).some((legal) => same(legal, value)), path, "enum"),
  anyOf: (rule, value, path) =>
    when(!(rule as JsonObject[]).some((branch) => schemaFindings(branch, value, path).length === 0), path, "anyOf"),
  minimum: (rule, value, path) => when(typeof value === "number" && value < (rule as number), path, "minimum"),
  maximum: (rule, value, path) => when(typeof value === "number" && value > (rule as number), path, "maximum"),
  minLength: (rule, value, path) => when(isText(value) && [...value].length < (rule as number), path, "minLength"),
  maxLength: (rule, value, path) => when(isText(value) && [...value].length > (rule as number), path, "maxLength"),
  pattern: (rule, value, path) => when(isText(value) && !new RegExp(rule as string, "u").test(value), path, "pattern"),
  maxItems: (rule, value, path) => when(Array.isArray(value) && value.length > (rule as number), path, "maxItems"),
  items: (rule, value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => schemaFindings(rule as JsonObject, item, `${path}[${index}]`))
      : [],
  required: (rule, value, path) =>
    isJsonObject(value) ? (rule as string[]).flatMap((key) => when(!Object.hasOwn(value, key), path, key)) : [],
  properties: (rule, value, path) =>
    isJsonObject(value)
      ? Object.entries(rule as JsonObject).flatMap(([key, inner]) =>
          Object.hasOwn(value, key) ? schemaFindings(inner as JsonObject, value[key] as Json, `${path}.${key}`) : [],
        )
      : [],
  propertyNames: (rule, value, path) =>
    isJsonObject(value) ? Object.keys(value).flatMap((key) => schemaFindings(rule as JsonObject, key, path)) : [],
  additionalProperties: (rule, value, path, schema) => {
    if (!isJsonObject(value)) return [];
    const known = Object.keys((schema["properties"] as JsonObject | undefined) ?? {});
    const others = Object.keys(value).filter((key) => !known.includes(key));
    if (rule === false) return others.map((key) => `${path}: ${key} is too many`);
    return others.flatMap((key) => schemaFindings(rule as JsonObject, value[key] as Json, `${path}.${key}`));
  },
};

function isOfType(type: string, value: Json): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
