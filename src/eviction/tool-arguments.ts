import { createHash } from "node:crypto";
import type { ToolUse } from "../model/block.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../model/json.ts";

/** Longest argument text that is parsed; a longer one is compared and shown as text. */
const PARSED_CHARACTERS = 65_536;
/** Deepest nesting that is parsed: canonical JSON recurses. */
const PARSED_DEPTH = 64;
/** Keys up to this length are kept as they are, longer ones as a digest. */
const PLAIN_KEY_CHARACTERS = 160;

/** Arguments that name a file, most telling first. */
const FILE_KEYS = ["path", "file_path", "filepath", "filename", "file", "target_file", "notebook_path", "file_name"];

/** Arguments that tell one call from another, most telling first; files come before them. */
const TELLING_KEYS = [
  "command",
  "cmd",
  "query",
  "q",
  "pattern",
  "regex",
  "url",
  "uri",
  "code",
  "script",
  "name",
  "id",
  "key",
  "directory",
  "dir",
];

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}

/** The arguments of a call, or null when they are no JSON object of sane size: the model wrote them. */
export function parseArguments(argumentsText: string): JsonObject | null {
  if (argumentsText.length > PARSED_CHARACTERS || depthOf(argumentsText) > PARSED_DEPTH) return null;
  let value: unknown;
  try {
    value = JSON.parse(argumentsText);
  } catch {
    return null;
  }
  return isJsonObject(value) ? value : null;
}

/** One text for equal calls: the tool's name and its arguments, whatever their key order and spacing. */
export function callKey(tool: Pick<ToolUse, "name" | "argumentsText">, parsed: JsonObject | null): string {
  const text = `${tool.name}\n${parsed === null ? tool.argumentsText : canonicalJson(parsed)}`;
  if (text.length <= PLAIN_KEY_CHARACTERS) return text;
  return createHash("sha256").update(text).digest("base64");
}

/** `callKey` of a call whose arguments were not parsed yet. */
export function callKeyOf(tool: Pick<ToolUse, "name" | "argumentsText">): string {
  return callKey(tool, parseArguments(tool.argumentsText));
}

function scalarText(value: Json | undefined): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string"))
    return value.join(" ");
  return null;
}

export interface KeyArgument {
  readonly text: string;
  /** A file's telling end is its last one; any other value's is its first. */
  readonly isFile: boolean;
}

/** What many shell commands begin with, and what tells none of them from another. */
const CHANGE_OF_FOLDER = /^\s*cd [^\s;&]{1,400} ?(?:&&|;) *(?=\S)/;

/** The argument that says most about a call; null when it has none that is a plain value. */
export function keyArgument(parsed: JsonObject | null): KeyArgument | null {
  if (parsed === null) return null;
  for (const key of FILE_KEYS) {
    const text = scalarText(parsed[key]);
    if (text !== null) return { text, isFile: true };
  }
  for (const key of [...TELLING_KEYS, ...Object.keys(parsed)]) {
    const text = scalarText(parsed[key]);
    if (text !== null) return { text: text.replace(CHANGE_OF_FOLDER, ""), isFile: false };
  }
  return null;
}

/** Files that one patch text may touch before the rest is left out: bounds the work on hostile input. */
const PATCHED_FILES = 32;
const PATCHED_FILE = /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ b\/)(\S[^\n]{0,400})$/gm;

function normalisedPath(path: string): string {
  return path
    .trim()
    .replace(/\/{2,}/g, "/")
    .replace(/^(?:\.\/)+/, "");
}

/** The files a call is about: its file argument, or the files named in a patch. */
export function filesOf(parsed: JsonObject | null): string[] {
  if (parsed === null) return [];
  for (const key of FILE_KEYS) {
    const value = parsed[key];
    if (typeof value === "string" && value.trim() !== "") return [normalisedPath(value)];
  }
  for (const key of ["patch", "input", "diff"]) {
    const value = parsed[key];
    if (typeof value !== "string") continue;
    const files = new Set<string>();
    for (const match of value.matchAll(PATCHED_FILE)) {
      files.add(normalisedPath(match[1] ?? ""));
      if (files.size === PATCHED_FILES) break;
    }
    if (files.size > 0) return [...files];
  }
  return [];
}

const WRITING_WORDS = new Set([
  "write",
  "edit",
  "multiedit",
  "create",
  "replace",
  "insert",
  "append",
  "patch",
  "overwrite",
  "update",
  "delete",
  "remove",
  "rename",
  "save",
  "undo",
]);

function namesWriting(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => WRITING_WORDS.has(word));
}

/** True when a call changes the files it names: by its `command` argument if that is one word, else by the tool's name. */
export function writesFiles(tool: ToolUse, parsed: JsonObject | null): boolean {
  const command = parsed?.["command"];
  if (typeof command === "string" && /^[a-z_]{1,40}$/i.test(command)) return namesWriting(command);
  return namesWriting(tool.name);
}
