import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { code } from "./markdown-text.ts";

/** What is looked for first stands first. */
const FIRST = ["cwd", "branch", "commit"];

/** The environment as a list, its files with their hashes at the end. */
export function environmentLines(environment: JsonObject): string[] {
  const { files, ...others } = environment;
  const facts = Object.entries(others)
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([key, value]) => entry(key, value));
  return [...facts, ...(files === undefined ? [] : fileLines(files))];
}

function rankOf(key: string): number {
  const place = FIRST.indexOf(key);
  return place === -1 ? FIRST.length : place;
}

function fileLines(files: Json): string[] {
  if (!isJsonObject(files)) return [entry("files", files)];
  const lines = Object.entries(files).map(([path, hash]) => `  ${entry(path, hash)}`);
  return lines.length === 0 ? [] : ["- Files and their hashes:", ...lines];
}

function entry(key: string, value: Json): string {
  return `- ${code(key)}: ${code(typeof value === "string" ? value : JSON.stringify(value))}`;
}
