import { trimmed } from "./characters.ts";
import { type ExactJson, readExactJson } from "./exact-json.ts";

/** Lines of a text that is one JSON object or list, one for each leaf: `path.key: value`; null of any other text. */
export function linesOfDocument(text: string): string[] | null {
  const document = readDocument(text);
  return document === undefined ? null : [...leafLines(document, "")];
}

/** Lines of a call's arguments: the strings of a JSON document unescaped, without their keys; else the text. */
export function linesOfArguments(argumentsText: string): string[] {
  const document = readExactJson(argumentsText);
  if (document === undefined) return argumentsText.split("\n");
  return [...scalars(document)].join("\n").split("\n");
}

function readDocument(text: string): ExactJson | undefined {
  const document = trimmed(text);
  if (!/^[{[]/.test(document) || !/[}\]]$/.test(document)) return undefined;
  return readExactJson(document);
}

function* leafLines(value: ExactJson, path: string): Generator<string> {
  if (value instanceof Map) {
    for (const [key, item] of value) yield* leafLines(item, path === "" ? key : `${path}.${key}`);
    if (value.size === 0) yield `${path}: {}`;
    return;
  }
  if (isList(value)) {
    for (const [index, item] of value.entries()) yield* leafLines(item, `${path}[${index}]`);
    return;
  }
  const [first = "", ...rest] = textOf(value).split("\n");
  yield path === "" ? first : `${path}: ${first}`;
  yield* rest;
}

function* scalars(value: ExactJson): Generator<string> {
  if (value instanceof Map) for (const item of value.values()) yield* scalars(item);
  else if (isList(value)) for (const item of value) yield* scalars(item);
  else yield textOf(value);
}

function isList(value: ExactJson): value is readonly ExactJson[] {
  return Array.isArray(value);
}

function isScalar(value: ExactJson): value is { readonly spelling: string } {
  return typeof value === "object" && "spelling" in value;
}

function textOf(value: ExactJson): string {
  return isScalar(value) ? value.spelling : String(value);
}
