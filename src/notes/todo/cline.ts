import { readChecklist } from "./checklist.ts";
import type { TodoDialect } from "./dialect.ts";

export const cline: TodoDialect = {
  summary: "Cline: the parameter task_progress of any tool, with the whole list as a Markdown checklist.",
  tools: null,
  parameter: "task_progress",
  read: (input) => readChecklist(input["task_progress"]),
};
