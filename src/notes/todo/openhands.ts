import { readEntries, type StatusWords, type TodoDialect } from "./dialect.ts";

const WORDS: StatusWords = new Map([
  ["todo", "planned"],
  ["in_progress", "in_progress"],
  ["done", "done"],
]);

export const openHands: TodoDialect = {
  summary: "OpenHands: task_tracker with the command plan and the whole list, each entry with title, status and notes.",
  tools: ["task_tracker"],
  parameter: "task_list",
  read: (input) =>
    input["command"] === "plan"
      ? readEntries(input["task_list"], { title: "title", words: WORDS, note: "notes" })
      : null,
};
