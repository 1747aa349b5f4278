import { readChecklist } from "./checklist.ts";
import type { TodoDialect } from "./dialect.ts";

export const roo: TodoDialect = {
  summary: "Roo Code: update_todo_list with the whole list as a Markdown checklist.",
  tools: ["update_todo_list"],
  parameter: "todos",
  read: (input) => readChecklist(input["todos"]),
};
