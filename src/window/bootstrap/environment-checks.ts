import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Check, CheckOptions } from "./check.ts";
import { fileChecks } from "./file-checks.ts";
import { serviceChecks } from "./service-checks.ts";
import { toldHash, toldList, toldText, toldValue } from "./told-value.ts";

/** What there is to do where nothing of the environment was told. */
const LOOK_AROUND: Check = {
  key: "cwd",
  expected: null,
  ask: "Look where you are: list the working folder and read the version control's state (`pwd`, `ls`, `git status`).",
  isKnown: true,
};

/** What prints the fact of that name. */
const FACTS: Readonly<Record<string, string>> = {
  cwd: "pwd",
  pwd: "pwd",
  workdir: "pwd",
  working_dir: "pwd",
  working_directory: "pwd",
  branch: "git branch --show-current",
  git_branch: "git branch --show-current",
  commit: "git rev-parse HEAD",
  git_commit: "git rev-parse HEAD",
  head: "git rev-parse HEAD",
  sha: "git rev-parse HEAD",
  repo: "git remote -v",
  repository: "git remote -v",
  remote: "git remote -v",
  git_remote: "git remote -v",
  dirty: "git status --short",
  status: "git status --short",
  git_status: "git status --short",
};

/** What prints the version of that tool. */
const TOOLS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "python python3 node npm pnpm yarn bun deno ruby rustc cargo gcc clang cmake make git docker php perl pip uv psql"
      .split(" ")
      .map((tool) => [tool, `${tool} --version`]),
  ),
  nodejs: "node --version",
  rust: "rustc --version",
  go: "go version",
  java: "java -version",
};

const TOOL_GROUPS = new Set(["tools", "versions", "tool_versions", "runtimes"]);
const VARIABLES = new Set(["env", "env_names", "env_vars", "environment_variables"]);
const SERVICES = new Set(["services", "service", "ports", "port"]);
const VERSION_CONTROL = new Set(["git", "vcs"]);

const HASH = /^[0-9a-f]{7,64}$/i;

/**
 * What an agent in a new window has to look at before it trusts what was noted of its environment. Only what was told
 * is checked, in the order in which it was told; where nothing was, the agent is to look around.
 */
export function environmentChecks(environment: JsonObject, options: CheckOptions): Check[] {
  const checks = membersOf(environment).flatMap(([key, value]) => checksOf(key, value, options));
  return checks.length === 0 ? [LOOK_AROUND] : checks;
}

function checksOf(key: string, value: Json, options: CheckOptions): Check[] {
  const name = key.toLowerCase();
  if (SERVICES.has(name)) return serviceChecks(key, value, options);
  if (VARIABLES.has(name) && typeof value === "object") return variablesCheck(key, value, options);
  if (Array.isArray(value)) return listCheck(key, value, options);
  if (!isJsonObject(value)) return [factCheck(key, name, value, options)];
  if (name === "files") return fileChecks(key, value, options);
  if (TOOL_GROUPS.has(name) || VERSION_CONTROL.has(name)) {
    return membersOf(value).map(([member, each]) => factCheck(`${key}/${member}`, member.toLowerCase(), each, options));
  }
  return [noted(key, toldValue(key, value, options.mask))];
}

/** A fact of a known name by its command, any other by itself. */
function factCheck(key: string, name: string, value: Json, { mask }: CheckOptions): Check {
  const command = typeof value === "object" ? undefined : commandFor(name, value);
  if (command === undefined) return noted(key, toldValue(key, value, mask));
  const isHash = typeof value === "string" && HASH.test(value);
  return {
    key,
    expected: isHash ? toldHash(value) : toldValue(key, value, mask),
    ask: `Run \`${command}\`.`,
    isKnown: true,
  };
}

function commandFor(name: string, value: Json): string | undefined {
  // A repository is told by its folder or by where it came from.
  if (/^repo(?:sitory)?$/.test(name) && /^[/~]/.test(String(value))) return "git rev-parse --show-toplevel";
  const tool = name.replace(/[_-]?version$/, "");
  return Object.hasOwn(FACTS, name) ? FACTS[name] : Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
}

/** Only the names of variables are told: their values are where secrets are kept. */
function variablesCheck(key: string, value: Json, { mask }: CheckOptions): Check[] {
  const names = Array.isArray(value) ? value.map(String) : Object.keys(value ?? {});
  if (names.length === 0) return [];
  const bare = names.map((name) => name.split("=", 1)[0] ?? name);
  return [
    {
      key,
      expected: toldList(bare, (name) => toldText(name, mask)),
      ask: "Check that each of these variables is set (`printenv`).",
      isKnown: true,
    },
  ];
}

function listCheck(key: string, members: readonly Json[], { mask }: CheckOptions): Check[] {
  if (members.length === 0) return [];
  const told = toldList(members, (each) => toldValue(key, each, mask));
  if (key.toLowerCase() !== "files") return [noted(key, told)];
  return [{ key, expected: told, ask: "Check that each of these files is there (`ls`).", isKnown: true }];
}

function noted(key: string, expected: string): Check {
  return { key, expected, ask: "Check that this still holds.", isKnown: false };
}

/** null tells nothing. */
function membersOf(object: JsonObject): [string, Json][] {
  return Object.entries(object).filter(([, value]) => value !== null);
}
