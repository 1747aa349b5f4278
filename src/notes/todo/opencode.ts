import { readEntries, type TodoDialect, USUAL_WORDS } from "./dialect.ts";

export const openCode: TodoDialect = {
  summary: "opencode: todowrite with the whole list, each entry with content, status, priority and, in some, an id.",
  tools: ["todowrite"],
  parameter: "todos",
  read: (input) => readEntries(input["todos"], { title: "content", words: USUAL_WORDS }),
};
