import type { ToolUse } from "../../../model/block.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { shortened } from "./phrase.ts";
import {
  commandCore,
  type FileAction,
  type FileUse,
  filesOfCommand,
  isFileName,
  isPath,
  onlyLooks,
  tidyPath,
} from "./shell.ts";

/** A tool call as the finders read it. */
export interface Call {
  readonly name: string;
  readonly argumentsText: string;
  readonly arguments: JsonObject | null;
  /** The call is a shell's command. */
  readonly isCommand: boolean;
  /** Equal for calls that do the same: the command, or the tool and what it is about. */
  readonly key: string;
  /** A line that tells a person what was called. */
  readonly label: string;
  readonly files: readonly FileUse[];
  /** The call shows something and changes nothing. */
  readonly onlyLooks: boolean;
  /** The call is a thought, a plan or a note put down by means of a tool: its words; else null. */
  readonly thought: string | null;
}

/** Longer argument texts are not parsed. */
const MOST_PARSED = 262_144;
const LONGEST_LABEL = 120;
/** A shorter command with more behind it is an interpreter that is given a script. */
const BARE_COMMAND = 16;

const FILE_KEYS = [
  "path",
  "file_path",
  "filepath",
  "filename",
  "file_name",
  "file",
  "target_file",
  "absolute_path",
  "relative_path",
  "notebook_path",
  "relative_workspace_path",
];
const COMMAND_KEYS = ["command", "cmd", "script", "shell_command", "bash_command", "keystrokes"];
const PATCH_KEYS = ["patch", "input", "diff", "patch_text"];
const THOUGHT_KEYS = ["thought", "thoughts", "reasoning", "analysis", "plan", "explanation"];
const THINKING_TOOL = /^(?:think|thought|reason|reflect|sequential_?thinking|plan)/i;

const EDITING = new Set(
  "edit multiedit replace str insert append patch update undo rename modify change apply".split(" "),
);
const CREATING = new Set("create write save new overwrite".split(" "));
const DELETING = new Set("delete remove unlink".split(" "));
const LOOKING = new Set(
  "view read open cat get list ls search find grep glob fetch query lookup look show check describe count browse think calculate".split(
    " ",
  ),
);

const PATCHED_FILE = /^(?:\*\*\* (Update|Add|Delete) File: |\+\+\+ b\/)(\S[^\n]{0,250})$/gm;
const MOST_PATCHED = 32;

/** What is known of a call from its name and arguments. The text was written by a model and may be no JSON. */
export function readCall(tool: ToolUse): Call {
  const args = parsed(tool.argumentsText);
  const command = commandOf(args);
  const files = command === null ? filesOfArguments(tool, args) : filesOfCommand(command);
  const core = command === null ? null : commandCore(command);
  const subject = core ?? files[0]?.path ?? null;
  const verb = verbOf(tool.name, args);
  return {
    name: tool.name,
    argumentsText: tool.argumentsText,
    arguments: args,
    isCommand: core !== null,
    key:
      core !== null
        ? keyOfCommand(core, command ?? "")
        : `${tool.name} ${verb} ${files.length > 0 ? subject : tool.argumentsText}`,
    label: labelOf(tool, args, subject, core !== null),
    files: patchesIn(command, files),
    onlyLooks: command === null ? looksOnly(tool.name, verb) : onlyLooks(command),
    thought: THINKING_TOOL.test(tool.name) ? longestOf(args, THOUGHT_KEYS) : null,
  };
}

function parsed(text: string): JsonObject | null {
  if (text.length > MOST_PARSED || !text.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A shell command. One word beside a file is the verb of an editor (`view`, `str_replace`), and no command. */
function commandOf(args: JsonObject | null): string | null {
  if (args === null) return null;
  for (const key of COMMAND_KEYS) {
    const value = args[key];
    const text = Array.isArray(value) ? value.at(-1) : value;
    if (typeof text !== "string" || text.trim() === "") continue;
    return /^\w+$/.test(text.trim()) && FILE_KEYS.some((file) => typeof args[file] === "string") ? null : text;
  }
  return null;
}

function keyOfCommand(core: string, command: string): string {
  return core.length > BARE_COMMAND || command.length < 2 * BARE_COMMAND + core.length ? core : command.slice(0, 1_024);
}

/** The word that says what the tool does: its sub-command, or its name. */
function verbOf(name: string, args: JsonObject | null): string {
  const command = args?.["command"] ?? args?.["action"] ?? args?.["operation"];
  return typeof command === "string" && /^[a-z_]{2,40}$/i.test(command) ? command : name;
}

function wordsOf(name: string): string[] {
  return name
    .replace(/^mcp__\w+?__/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function looksOnly(name: string, verb: string): boolean {
  const words = [...wordsOf(verb), ...(verb === name ? [] : wordsOf(name))];
  const first = words.find(
    (word) => LOOKING.has(word) || CREATING.has(word) || EDITING.has(word) || DELETING.has(word),
  );
  return first !== undefined && LOOKING.has(first);
}

function filesOfArguments(tool: ToolUse, args: JsonObject | null): FileUse[] {
  if (args === null) return patchedFiles(tool.argumentsText);
  for (const key of PATCH_KEYS) {
    const value = args[key];
    const patched = typeof value === "string" ? patchedFiles(value) : [];
    if (patched.length > 0) return patched;
  }
  const action = actionOf(tool.name, verbOf(tool.name, args));
  const named = FILE_KEYS.flatMap((key) => stringsOf(args[key])).filter(isPath);
  const found = named.length > 0 ? named.slice(0, 1) : Object.values(args).flatMap(stringsOf).filter(pathAlone);
  return [...new Set(found)]
    .filter((path) => action !== "read" || isFileName(path))
    .map((path) => ({ path: tidyPath(path), action }));
}

/** A patch that is given to a shell tool names its files as any patch does. */
function patchesIn(command: string | null, files: readonly FileUse[]): readonly FileUse[] {
  return command?.includes("*** Begin Patch") ? [...patchedFiles(command), ...files] : files;
}

function patchedFiles(text: string): FileUse[] {
  const found: FileUse[] = [];
  for (const [, verb, path = ""] of text.matchAll(PATCHED_FILE)) {
    found.push({ path: tidyPath(path), action: verb === "Add" ? "created" : verb === "Delete" ? "deleted" : "edited" });
    if (found.length === MOST_PATCHED) break;
  }
  return found;
}

function stringsOf(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string").slice(0, 32) : [];
}

/** An argument of unknown meaning is taken for a path only if it has a folder and a file's name. */
function pathAlone(text: string): boolean {
  return text.length < 250 && text.includes("/") && !/\s/.test(text) && isFileName(text);
}

function actionOf(name: string, verb: string): FileAction {
  for (const word of [...wordsOf(verb), ...wordsOf(name)]) {
    if (CREATING.has(word)) return "created";
    if (DELETING.has(word)) return "deleted";
    if (LOOKING.has(word)) return "read";
    if (EDITING.has(word)) return "edited";
  }
  return "read";
}

function labelOf(tool: ToolUse, args: JsonObject | null, subject: string | null, isCommand: boolean): string {
  if (isCommand) return shortened((subject ?? "").split("\n", 1)[0] ?? "", LONGEST_LABEL);
  const verb = verbOf(tool.name, args);
  const name = verb === tool.name ? verb : `${tool.name} ${verb}`;
  return shortened(`${name} ${subject ?? plainArguments(args) ?? ""}`, LONGEST_LABEL);
}

/** `key=value` of the arguments that are plain values. */
function plainArguments(args: JsonObject | null): string | null {
  if (args === null) return null;
  const pairs: string[] = [];
  for (const [key, value] of Object.entries(args)) {
    const text = Array.isArray(value) && value.every((item) => typeof item !== "object") ? value.join(",") : value;
    if (text === null || typeof text === "object" || text === "") continue;
    pairs.push(`${key}=${shortened(String(text), 48)}`);
  }
  return pairs.join(" ");
}

function longestOf(args: JsonObject | null, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = args?.[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}
