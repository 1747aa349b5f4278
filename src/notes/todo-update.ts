import type { Subtask, SubtaskUpdate, TaskUpdate } from "../model/task.ts";
import { MOST_SUBTASKS, type TaskState } from "./task.ts";
import type { TodoItem } from "./todo/dialect.ts";

/**
 * What a todo list changes in the task state; null when nothing. An entry is the subtask of its title, else the one of
 * its id; two entries are never the same subtask. What the list no longer names stays as it is: planned is never done.
 */
export function todoUpdate(state: TaskState, items: readonly TodoItem[]): TaskUpdate | null {
  const read = items.slice(0, MOST_SUBTASKS);
  const known = matched(state.subtasks, read);
  const taken = new Set(state.subtasks.map(({ id }) => id));
  const changed: SubtaskUpdate[] = [];
  const withdrawn: string[] = [];
  for (const item of read) {
    const before = known.get(item);
    if (item.status === "withdrawn") {
      if (before) withdrawn.push(before.id);
      continue;
    }
    const { title, status, note } = item;
    const same = before?.title === title && before.status === status && (note === undefined || before.note === note);
    if (same) continue;
    const id = before?.id ?? freeId(item.id, taken);
    taken.add(id);
    changed.push({ id, title, status, ...(note === undefined ? {} : { note }) });
  }
  if (changed.length === 0 && withdrawn.length === 0) return null;
  return { subtasks: changed, ...(withdrawn.length === 0 ? {} : { remove_subtasks: withdrawn }) };
}

/** The subtask that each entry is. Titles first: agents number their lists anew, and then an id says little. */
function matched(subtasks: readonly Subtask[], items: readonly TodoItem[]): ReadonlyMap<TodoItem, Subtask> {
  const known = new Map<TodoItem, Subtask>();
  const free = new Set(subtasks);
  for (const isSame of [
    (item: TodoItem, { title }: Subtask) => title === item.title,
    (item: TodoItem, { id }: Subtask) => id === item.id,
  ]) {
    for (const item of items) {
      if (known.has(item)) continue;
      const subtask = [...free].find((each) => isSame(item, each));
      if (!subtask) continue;
      known.set(item, subtask);
      free.delete(subtask);
    }
  }
  return known;
}

function freeId(wanted: string | null, taken: ReadonlySet<string>): string {
  if (wanted !== null && !taken.has(wanted)) return wanted;
  let number = taken.size + 1;
  while (taken.has(`t${number}`)) number++;
  return `t${number}`;
}
