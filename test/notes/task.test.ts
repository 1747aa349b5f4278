import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { SubtaskUpdate, TaskUpdate } from "../../src/model/task.ts";
import { initialTask, MOST_SUBTASKS, type TaskState, untitled, updateTask } from "../../src/notes/index.ts";

const stated = initialTask({ goal: "Mend it.", success_criteria: ["tests pass"], constraints: ["no new package"] });
const updated = (...updates: TaskUpdate[]): TaskState => updates.reduce(updateTask, stated);
const statuses = ({ subtasks }: TaskState) => Object.fromEntries(subtasks.map(({ id, status }) => [id, status]));

describe("a task state", () => {
  it("starts from the task as it was stated, and each update is a version more", () => {
    expect(stated).toMatchObject({ version: 0, goal: "Mend it.", constraints: ["no new package"], subtasks: [] });
    expect(updated({ next_step: "read" }, { next_step: null })).toMatchObject({ version: 2, next_step: null });
    expect(initialTask(null)).toMatchObject({ version: 0, goal: null, constraints: [] });
  });

  it("leaves as it is what an update does not name", () => {
    const update: TaskUpdate = { goal: "Mend all.", open_issues: ["flaky"], environment: { cwd: "/a" } };
    expect(updated(update, { next_step: "read" })).toMatchObject({ ...update, constraints: ["no new package"] });
  });

  it("never takes a planned subtask for done: what a new list does not name stays with its status", () => {
    const plan: SubtaskUpdate[] = [
      { id: "a", title: "A" },
      { id: "b", title: "B", status: "in_progress" },
      { id: "c", title: "C", status: "done" },
    ];
    const next = updated(
      { subtasks: plan },
      {
        subtasks: [
          { id: "b", status: "done" },
          { id: "d", title: "D" },
        ],
      },
    );
    expect(statuses(next)).toEqual({ a: "planned", b: "done", c: "done", d: "planned" });
    expect(next.subtasks.map(({ title }) => title)).toEqual(["A", "B", "C", "D"]);
    const replaced = updated({ subtasks: plan }, { subtasks: [{ id: "b" }], replace: true });
    expect(statuses(replaced)).toEqual({ b: "in_progress" });
    expect(statuses(updated({ subtasks: plan }, { remove_subtasks: ["a", "nobody"] }))).toEqual({
      b: "in_progress",
      c: "done",
    });
  });

  it("keeps a subtask's note until another is given, or null", () => {
    const noted = { subtasks: [{ id: "a", title: "A", note: "see x" }] };
    expect(updated(noted, { subtasks: [{ id: "a", status: "blocked" }] }).subtasks[0]).toMatchObject({ note: "see x" });
    expect(updated(noted, { subtasks: [{ id: "a", note: null }] }).subtasks[0]).not.toHaveProperty("note");
  });

  it("adds decisions and learnings, the same one once; `replace` puts them in the place of the others", () => {
    const decide = (decision: string, rationale = "") => ({ decision, rationale, alternatives: [] });
    const two = updated({ decisions: [decide("use A")] }, { decisions: [decide("use B"), decide("use A", "faster")] });
    expect(two.decisions).toEqual([decide("use B"), decide("use A", "faster")]);
    expect(updated({ learnings: ["x"] }, { learnings: ["y", "x"] }).learnings).toEqual(["y", "x"]);
    expect(updated({ learnings: ["x"] }, { learnings: ["y"], replace: true }).learnings).toEqual(["y"]);
    expect(updated({ learnings: ["x"] }, { subtasks: [], replace: true }).learnings).toEqual(["x"]);
  });

  it("merges the environment by key, takes a key away by null, and no key is special", () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "cwd": "/b"}') as JsonObject;
    const state = updated({ environment: { cwd: "/a", branch: "main" } }, { environment: hostile });
    expect(Object.keys(state.environment).sort()).toEqual(["__proto__", "branch", "cwd"]);
    expect(state.environment["cwd"]).toBe("/b");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(updated({ environment: { cwd: "/a", branch: "main" } }, { environment: { cwd: null } }).environment).toEqual(
      {
        branch: "main",
      },
    );
  });

  it("has so many subtasks at most: those that are done and not named go first", () => {
    const plan = Array.from({ length: MOST_SUBTASKS }, (_, at) => ({
      id: `t${at}`,
      title: `T${at}`,
      status: at === 5 ? ("done" as const) : ("planned" as const),
    }));
    const next = updated(
      { subtasks: plan },
      {
        subtasks: [
          { id: "new", title: "New" },
          { id: "t0", status: "done" },
        ],
      },
    );
    expect(next.subtasks).toHaveLength(MOST_SUBTASKS);
    expect(next.subtasks.map(({ id }) => id)).not.toContain("t5");
    expect(statuses(next)).toMatchObject({ t0: "done", new: "planned", t1: "planned" });
  });

  it("knows which new subtask lacks a title", () => {
    expect(untitled(stated, { subtasks: [{ id: "a", title: "A" }, { id: "a" }, { id: "b" }] })).toBe(2);
    expect(untitled(updated({ subtasks: [{ id: "b", title: "B" }] }), { subtasks: [{ id: "b" }] })).toBeNull();
  });
});
