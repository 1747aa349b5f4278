import { readEntries, type TodoDialect, USUAL_WORDS } from "./dialect.ts";

export const codex: TodoDialect = {
  summary: "Codex: update_plan with the whole plan, each entry with step and status.",
  tools: ["update_plan"],
  parameter: "plan",
  read: (input) => readEntries(input["plan"], { title: "step", words: USUAL_WORDS }),
};
