import type { JsonObject } from "../model/json.ts";
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

/** The tools that read the repository. `recall` is not among them: it asks the daemon. */
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

const RECALL = {
  description: "Brings back text that is no longer in the context, by the handle that its placeholder shows.",
  parameters: { handle: text },
};

export type RepositoryToolName = keyof typeof REPOSITORY_TOOLS;
export type ToolName = RepositoryToolName | "recall";

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
export function toolDefinitions(withRecall: boolean): ToolDefinition[] {
  const tools: [string, Pick<Tool, "description" | "parameters">][] = Object.entries(REPOSITORY_TOOLS);
  if (withRecall) tools.push(["recall", RECALL]);
  return tools.map(([name, { description, parameters }]) => ({
    name,
    description,
    schema: { type: "object", properties: parameters, required: Object.keys(parameters) },
  }));
}
