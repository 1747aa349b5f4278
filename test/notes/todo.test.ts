import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/model/json.ts";
import {
  initialTask,
  MOST_SUBTASKS,
  recognizeTodos,
  type TaskState,
  todoUpdate,
  updateTask,
} from "../../src/notes/index.ts";
import { todoDialects } from "../../src/notes/todo/index.ts";

const read = (tool: string, input: Json) => recognizeTodos(tool, JSON.stringify(input));

const PLAN = [
  { id: null, title: "Read the parser", status: "done" },
  { id: null, title: "Mend it", status: "in_progress" },
  { id: null, title: "Run the tests", status: "planned" },
];
const STATUSES = ["completed", "in_progress", "pending"];
const listOf = (key: string, more: (at: number) => Record<string, Json> = () => ({})) =>
  PLAN.map(({ title }, at) => ({ [key]: title, status: STATUSES[at] as string, ...more(at) }));
const CHECKLIST = "# Plan\n- [x] Read the parser\n- [-] Mend it\n\n- [ ] Run the tests\n";

describe("a todo list in a tool call", () => {
  it.each<[string, string, Json]>([
    ["Claude Code", "TodoWrite", { todos: listOf("content", (at) => ({ activeForm: `Doing ${at}` })) }],
    ["Codex", "update_plan", { explanation: "Next.", plan: listOf("step") }],
    ["LangChain", "write_todos", { todos: listOf("content") }],
    ["Gemini CLI", "write_todos", { todos: listOf("description") }],
    ["opencode", "todowrite", { todos: listOf("content", () => ({ priority: "high" })) }],
    ["Roo Code", "update_todo_list", { todos: CHECKLIST }],
    ["Cline", "execute_command", { command: "npm test", task_progress: CHECKLIST }],
  ])("of %s is read, every entry with its status", (_, tool, input) => {
    expect(read(tool, input)).toEqual(PLAN);
  });

  it("of OpenHands is read with its notes, and a look at it is none", () => {
    const task_list = [
      { title: "Read", status: "done", notes: "It is in a.py." },
      { id: "2", title: "Mend", status: "todo" },
    ];
    expect(read("task_tracker", { command: "plan", security_risk: "LOW", task_list })).toEqual([
      { id: null, title: "Read", status: "done", note: "It is in a.py." },
      { id: "2", title: "Mend", status: "planned" },
    ]);
    expect(read("task_tracker", { command: "view", security_risk: "LOW" })).toBeNull();
  });

  it.each<[string, string, string]>([
    ["is cut off", "TodoWrite", '{"todos": [{"content": "a", "sta'],
    ["is no object", "TodoWrite", "[1]"],
    ["has no list", "TodoWrite", '{"todos": "none"}'],
    ["has an entry that is no entry", "TodoWrite", '{"todos": [{"content": "a", "status": "pending"}, null]}'],
    ["has a title that is none", "TodoWrite", '{"todos": [{"content": 7, "status": "pending"}]}'],
    ["has a blank title", "TodoWrite", '{"todos": [{"content": "  ", "status": "pending"}]}'],
    ["has a status that nobody knows", "update_plan", '{"plan": [{"step": "a", "status": "probably done"}]}'],
    ["has a status of Object.prototype", "update_plan", '{"plan": [{"step": "a", "status": "constructor"}]}'],
    [
      "has a title longer than a title",
      "TodoWrite",
      JSON.stringify({ todos: [{ content: "x".repeat(1001), status: "pending" }] }),
    ],
    ["is longer than a list", "TodoWrite", JSON.stringify({ todos: [], pad: "x".repeat(200_001) })],
    ["is a checklist without items", "update_todo_list", '{"todos": "nothing to do"}'],
    ["is of another tool", "read_file", '{"todos": [{"content": "a", "status": "pending"}]}'],
    ["is of a tool named like a method", "constructor", '{"todos": []}'],
  ])("that %s is not read", (_, tool, text) => {
    expect(recognizeTodos(tool, text)).toBeNull();
  });

  it("never makes trouble, whatever the arguments are", () => {
    const tools = todoDialects.flatMap(({ tools }) => tools ?? ["any_tool"]);
    const parameters = todoDialects.map(({ parameter }) => parameter);
    const input = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(fc.constantFrom(...parameters, "command"), fc.jsonValue()).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...tools), input, (tool, text) => {
        const items = recognizeTodos(tool, text);
        for (const { title } of items ?? []) expect(title.trim()).not.toBe("");
      }),
    );
  });
});

describe("what a todo list changes", () => {
  const begun = updateTask(initialTask(null), {
    subtasks: [
      { id: "t1", title: "Read", status: "done" },
      { id: "t2", title: "Mend" },
    ],
  });
  const apply = (state: TaskState, ...items: [string, "planned" | "in_progress" | "done" | "withdrawn", string?][]) => {
    const update = todoUpdate(
      state,
      items.map(([title, status, id]) => ({ id: id ?? null, title, status })),
    );
    return update === null
      ? null
      : updateTask(state, update).subtasks.map(({ id, title, status }) => `${id} ${title} ${status}`);
  };

  it("is nothing when the list says what is known", () => {
    expect(apply(begun, ["Read", "done"], ["Mend", "planned"])).toBeNull();
    expect(apply(begun)).toBeNull();
  });

  it("is what the list says of a title, and what it does not name stays: planned is never done", () => {
    expect(apply(begun, ["Test", "planned"], ["Read", "done"])).toEqual([
      "t1 Read done",
      "t2 Mend planned",
      "t3 Test planned",
    ]);
    expect(apply(begun, ["Mend", "in_progress"])).toEqual(["t1 Read done", "t2 Mend in_progress"]);
  });

  it("takes an entry of a known id and another title for the same subtask", () => {
    expect(apply(begun, ["Mend the parser", "done", "t2"])).toEqual(["t1 Read done", "t2 Mend the parser done"]);
  });

  it("goes by titles where the agent numbers its list anew", () => {
    expect(apply(begun, ["Look", "done", "t1"], ["Read", "done", "t2"])).toEqual([
      "t1 Read done",
      "t2 Mend planned",
      "t3 Look done",
    ]);
  });

  it("keeps two entries of one title apart", () => {
    expect(apply(begun, ["Mend", "done"], ["Mend", "planned"])).toEqual([
      "t1 Read done",
      "t2 Mend done",
      "t3 Mend planned",
    ]);
  });

  it("takes out what the agent has withdrawn, and knows nothing of what it withdrew unknown", () => {
    expect(apply(begun, ["Mend", "withdrawn"], ["Sing", "withdrawn"])).toEqual(["t1 Read done"]);
    expect(apply(begun, ["Sing", "withdrawn"])).toBeNull();
  });

  it("is bounded, however long the list", () => {
    const items = Array.from({ length: 3 * MOST_SUBTASKS }, (_, at) => ({
      id: null,
      title: `T${at}`,
      status: "planned" as const,
    }));
    const update = todoUpdate(begun, items);
    expect(updateTask(begun, update ?? {}).subtasks).toHaveLength(MOST_SUBTASKS);
  });
});
