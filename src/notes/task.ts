import type { JsonObject } from "../model/json.ts";
import type { Decision, Subtask, SubtaskUpdate, TaskUpdate } from "../model/task.ts";

/** What is known of a session's task: what the agent stated when it opened the session, and what it told since. */
export interface TaskState {
  /** Rises by one with each update; 0 before the first. */
  readonly version: number;
  readonly goal: string | null;
  readonly success_criteria: readonly string[];
  readonly constraints: readonly string[];
  readonly subtasks: readonly Subtask[];
  readonly decisions: readonly Decision[];
  readonly open_issues: readonly string[];
  readonly learnings: readonly string[];
  /** Where the agent works, as it says: cwd, branch, commit, files with hashes, whatever else. */
  readonly environment: JsonObject;
  readonly next_step: string | null;
}

/** Most subtasks: where an update brings more, those it does not name go, the done ones first, the oldest first. */
export const MOST_SUBTASKS = 200;

const EMPTY: TaskState = {
  version: 0,
  goal: null,
  success_criteria: [],
  constraints: [],
  subtasks: [],
  decisions: [],
  open_issues: [],
  learnings: [],
  environment: {},
  next_step: null,
};

/** The state of a task that was just stated; null: none was. */
export function initialTask(
  stated: (Pick<TaskState, "success_criteria" | "constraints"> & { readonly goal: string }) | null,
): TaskState {
  if (stated === null) return EMPTY;
  const { goal, success_criteria, constraints } = stated;
  return { ...EMPTY, goal, success_criteria, constraints };
}

/** The state after an update: see TaskUpdate for what is replaced, added and merged. At most MOST_SUBTASKS may come. */
export function updateTask(state: TaskState, update: TaskUpdate): TaskState {
  const replace = update.replace ?? false;
  return {
    version: state.version + 1,
    goal: update.goal ?? state.goal,
    success_criteria: update.success_criteria ?? state.success_criteria,
    constraints: update.constraints ?? state.constraints,
    subtasks: mergeSubtasks(state.subtasks, update),
    decisions: append(state.decisions, update.decisions, replace, ({ decision }) => decision),
    open_issues: update.open_issues ?? state.open_issues,
    learnings: append(state.learnings, update.learnings, replace, (learning) => learning),
    environment: mergeEnvironment(replace && update.environment ? {} : state.environment, update.environment ?? {}),
    next_step: update.next_step === undefined ? state.next_step : update.next_step,
  };
}

/** The first subtask of an update that is new and has no title, by its place; null when there is none. */
export function untitled(state: TaskState, update: TaskUpdate): number | null {
  const known = new Set(state.subtasks.map(({ id }) => id));
  for (const [index, { id, title }] of (update.subtasks ?? []).entries()) {
    if (title === undefined && !known.has(id)) return index;
    known.add(id);
  }
  return null;
}

function mergeSubtasks(before: readonly Subtask[], update: TaskUpdate): readonly Subtask[] {
  const { subtasks, remove_subtasks: removed = [], replace = false } = update;
  if (subtasks === undefined && removed.length === 0) return before;
  const known = new Map(before.map((subtask) => [subtask.id, subtask]));
  const named = new Map<string, Subtask>();
  for (const each of subtasks ?? []) named.set(each.id, merged(named.get(each.id) ?? known.get(each.id), each));
  const gone = new Set(removed);
  const stays = (id: string) => !gone.has(id) && (named.has(id) || !replace || subtasks === undefined);
  const all = [
    ...before.filter(({ id }) => stays(id)).map((subtask) => named.get(subtask.id) ?? subtask),
    ...[...named.values()].filter(({ id }) => !known.has(id) && !gone.has(id)),
  ];
  return withinMost(all, named);
}

function merged(before: Subtask | undefined, { id, title, status, note }: SubtaskUpdate): Subtask {
  const kept = note === undefined ? before?.note : (note ?? undefined);
  return {
    id,
    title: title ?? before?.title ?? id,
    status: status ?? before?.status ?? "planned",
    ...(kept === undefined ? {} : { note: kept }),
  };
}

function withinMost(subtasks: readonly Subtask[], named: ReadonlyMap<string, Subtask>): readonly Subtask[] {
  const over = subtasks.length - MOST_SUBTASKS;
  if (over <= 0) return subtasks;
  const unnamed = subtasks.filter(({ id }) => !named.has(id));
  const done = unnamed.filter(({ status }) => status === "done");
  const others = unnamed.filter(({ status }) => status !== "done");
  const leaving = new Set([...done, ...others].slice(0, over));
  return subtasks.filter((subtask) => !leaving.has(subtask));
}

/** The items with those that come at the end; one that is there already is told anew. */
function append<T>(
  before: readonly T[],
  coming: readonly T[] | undefined,
  replace: boolean,
  identity: (item: T) => string,
): readonly T[] {
  if (coming === undefined) return before;
  const items = new Map<string, T>();
  for (const item of replace ? coming : [...before, ...coming]) {
    items.delete(identity(item));
    items.set(identity(item), item);
  }
  return [...items.values()];
}

function mergeEnvironment(before: JsonObject, coming: JsonObject): JsonObject {
  const members = Object.entries({ ...before, ...coming });
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}
