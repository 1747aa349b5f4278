import { readEntries, type TodoDialect, USUAL_WORDS } from "./dialect.ts";

export const claudeCode: TodoDialect = {
  summary: "Claude Code: TodoWrite with the whole list, each entry with content, status and activeForm.",
  tools: ["TodoWrite"],
  parameter: "todos",
  read: (input) => readEntries(input["todos"], { title: "content", words: USUAL_WORDS }),
};
