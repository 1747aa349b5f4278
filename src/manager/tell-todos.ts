import type { Part } from "../model/part.ts";
import type { Subtask, TaskUpdate } from "../model/task.ts";
import { recognizeTodos, todoUpdate, updateTask } from "../notes/index.ts";
import type { Hook } from "./hook.ts";

/** Reads the todo lists that an assistant message's calls write; each that changes something is an update of the task. */
export function tellTodos(hook: Hook, parts: readonly Part[]): void {
  for (const part of parts) {
    if (part.kind !== "tool_call") continue;
    const items = recognizeTodos(part.name, part.argumentsText);
    const update = items && todoUpdate(hook.session.taskState, items);
    if (update) tellTask(hook, update, part.name);
  }
}

/** Updates the task. `tool`: the one that wrote it; null: the agent told it. */
export function tellTask(hook: Hook, update: TaskUpdate, tool: string | null): void {
  const before = new Set(doneIn(hook.session.taskState.subtasks));
  const { version, subtasks } = updateTask(hook.session.taskState, update);
  const done = doneIn(subtasks);
  hook.emit("task.updated", {
    version,
    source: tool === null ? "agent" : "tool_call",
    update,
    tool_name: tool,
    subtasks: subtasks.length,
    done: done.length,
    newly_done: done.filter((id) => !before.has(id)).length,
  });
}

function doneIn(subtasks: readonly Subtask[]): string[] {
  return subtasks.filter(({ status }) => status === "done").map(({ id }) => id);
}
