import { readEntries, type TodoDialect, USUAL_WORDS } from "./dialect.ts";

export const langchain: TodoDialect = {
  summary: "LangChain and deep agents: write_todos with the whole list, each entry with content and status.",
  tools: ["write_todos"],
  parameter: "todos",
  read: (input) => readEntries(input["todos"], { title: "content", words: USUAL_WORDS }),
};
