import { readEntries, type TodoDialect, USUAL_WORDS } from "./dialect.ts";

const WORDS = new Map([...USUAL_WORDS, ["blocked", "blocked"] as const]);

export const geminiCli: TodoDialect = {
  summary: "Gemini CLI: write_todos with the whole list, each entry with description and status.",
  tools: ["write_todos"],
  parameter: "todos",
  read: (input) => readEntries(input["todos"], { title: "description", words: WORDS }),
};
