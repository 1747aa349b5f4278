import type { JsonObject } from "../model/json.ts";
import type { CastMember } from "./cast.ts";
import type { Outcome, Repository } from "./repository.ts";

/** One call that an agent makes. */
export interface Step {
  readonly tool: ToolName;
  readonly args: JsonObject;
}

interface Tool {
  readonly description: string;
  /** JSON Schema of each parameter. */
  readonly parameters: JsonObject;
  run(repository: Repository, args: JsonObject): Outcome | Promise<Outcome>;
}

const text = { type: "string" };
const count = { type: "integer", minimum: 1 };

/** The tools that read the repository; see `OWN_TOOLS` for the others. */
const REPOSITORY_TOOLS = {
  list_files: {
    description: "Lists the files of a folder and of those in it, with their sizes.",
    parameters: { path: text, entries: count },
    run: (repository, args) => repository.list(String(args["path"]), Number(args["entries"])),
  },
  read_file: {
    description: "Reads lines of one file.",
    parameters: { path: text, first_line: count, lines: count },
    run: (repository, args) => repository.read(String(args["path"]), Number(args["first_line"]), Number(args["lines"])),
  },
  read_files: {
    description: "Reads several files, each whole, one after the other.",
    parameters: { paths: { type: "array", items: text } },
    run: (repository, args) => repository.readAll(args["paths"] as string[]),
  },
  grep: {
    description: "Finds the lines below a folder that hold a phrase.",
    parameters: { pattern: text, path: text, max_matches: count },
    run: (repository, args) =>
      repository.grep(String(args["pattern"]), String(args["path"]), Number(args["max_matches"])),
  },
  run_command: {
    description: "Runs a command that only reads: git log, ls, wc, node --version.",
    parameters: { command: text },
    run: (repository, args) => repository.run(String(args["command"])),
  },
} as const satisfies Record<string, Tool>;

/** Tools that have to do with the daemon: see desk.ts. */
const OWN_TOOLS = {
  recall: {
    description: "Brings back text that is no longer in the context, by the handle that its placeholder shows.",
    parameters: { handle: text },
  },
  write_note: {
    description: "Writes down what must not be forgotten.",
    parameters: { category: text, importance: text, text },
  },
  TodoWrite: {
    description: "Replaces the list of what is to be done.",
    parameters: { todos: { type: "array", items: { type: "object" } } },
  },
  delegate: {
    description: "Has a helper with a window of its own look into one question; only its report comes back.",
    parameters: { title: text, goal: text, files: { type: "array", items: text } },
  },
} as const satisfies Record<string, Pick<Tool, "description" | "parameters">>;

export type RepositoryToolName = keyof typeof REPOSITORY_TOOLS;
export type OwnToolName = keyof typeof OWN_TOOLS;
export type ToolName = RepositoryToolName | OwnToolName;

export function isOwnTool(tool: ToolName): tool is OwnToolName {
  return Object.hasOwn(OWN_TOOLS, tool);
}

/** The tools that an agent has besides those that read. */
export function ownToolsOf({ recalls, plans, delegatesAt }: CastMember): OwnToolName[] {
  return [
    ...(recalls ? (["recall"] as const) : []),
    ...(plans ? (["write_note", "TodoWrite"] as const) : []),
    ...(delegatesAt === undefined ? [] : (["delegate"] as const)),
  ];
}

/** Runs a step that reads the repository. */
export async function runStep(repository: Repository, tool: RepositoryToolName, args: JsonObject): Promise<Outcome> {
  return REPOSITORY_TOOLS[tool].run(repository, args);
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** The definitions that an agent gives its model. */
export function toolDefinitions(own: readonly OwnToolName[] = []): ToolDefinition[] {
  const tools: [string, Pick<Tool, "description" | "parameters">][] = Object.entries(REPOSITORY_TOOLS);
  for (const name of own) tools.push([name, OWN_TOOLS[name]]);
  return tools.map(([name, { description, parameters }]) => ({
    name,
    description,
    schema: { type: "object", properties: parameters, required: Object.keys(parameters) },
  }));
}
