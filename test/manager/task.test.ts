import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { refused, TestManager } from "../support/manager.ts";
import { wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const task = { goal: "Mend the parser.", success_criteria: ["The suite passes."], constraints: ["No new package."] };

async function opened(message_format: MessageFormatName = "openai"): Promise<TestManager> {
  const host = new TestManager({ snapshotEvery: 2 });
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 16_000, message_format, task });
  return host;
}

const update = (host: TestManager, change: JsonObject) => host.call("task.update", { ...session, ...change });
const get = (host: TestManager) => host.call("task.get", session);
const todos = (...items: [string, string][]) => ({
  todos: items.map(([content, status]) => ({ content, status, activeForm: `${content}…` })),
});
const subtasks = async (host: TestManager) =>
  (await get(host)).subtasks.map(({ id, title, status }) => `${id} ${title} ${status}`);

describe("the task", () => {
  it("is known as it was stated, amended by updates; what the agent stated first stays what it was", async () => {
    const host = await opened();
    expect(await get(host)).toMatchObject({ version: 0, ...task, subtasks: [], next_step: null });
    await update(host, { constraints: ["No new package.", "Keep the layout."], next_step: "Read parse.ts." });
    const told = await get(host);
    expect(told).toMatchObject({ version: 1, goal: task.goal, constraints: ["No new package.", "Keep the layout."] });
    expect((await host.call("session.get", session))["task"]).toEqual(task);
    const restarted = await host.restarted();
    expect(await get(restarted)).toEqual(told);
    await restarted.manager.stop();
  });

  it("is refused in another version than the caller knows", async () => {
    const host = await opened();
    await update(host, { expected_version: 0, next_step: "a" });
    const error = await refused(update(host, { expected_version: 0, next_step: "b" }), "stale_revision");
    expect(error.data).toEqual({ version: 1 });
    expect((await get(host)).next_step).toBe("a");
  });

  it("is updated once for one idempotency key", async () => {
    const host = await opened();
    const change = { idempotency_key: "k", learnings: ["x"] };
    expect(await update(host, change)).toEqual(await update(host, change));
    expect((await get(host)).version).toBe(1);
  });

  it("is refused with what is wrong and what to do", async () => {
    const host = await opened();
    const untitled = await refused(update(host, { subtasks: [{ id: "a" }] }), "invalid_params");
    expect(untitled.data["path"]).toBe("subtasks[0].title");
    await refused(update(host, {}), "invalid_params");
    await refused(update(host, { replace: true }), "invalid_params");
    const words = Array.from({ length: 30 }, (_, at) => `${at} ${"word ".repeat(3_900)}`);
    const error = await refused(update(host, { learnings: words }), "budget_exceeded");
    expect(error.data["limit"]).toBe(500_000);
    expect((await get(host)).version).toBe(0);
  });
});

describe.each(MESSAGE_FORMATS)("a todo list that an agent writes by a tool of its own (%s)", (format) => {
  const say = wire[format];
  const answer = (host: TestManager, id: string, input: JsonObject, name = "TodoWrite") =>
    host.call("on_turn_end", { ...session, message: say.answer("I plan.", [{ id, name, input }]) });
  const result = (host: TestManager, id: string) =>
    host.call("on_tool_result", { ...session, tool_call_id: id, tool_name: "TodoWrite", content: "ok" });
  const begin = async () => {
    const host = await opened(format);
    await host.call("on_turn_start", { ...session, messages: [say.user("Mend the parser.")] });
    return host;
  };

  it("is read as subtasks; what a later list no longer names stays as it was", async () => {
    const host = await begin();
    await answer(host, "c1", todos(["Read", "in_progress"], ["Mend", "pending"]));
    await result(host, "c1");
    expect(await subtasks(host)).toEqual(["t1 Read in_progress", "t2 Mend planned"]);
    await host.call("on_turn_start", session);
    await answer(host, "c2", todos(["Read", "completed"], ["Test", "pending"]));
    await result(host, "c2");
    expect(await subtasks(host)).toEqual(["t1 Read done", "t2 Mend planned", "t3 Test planned"]);
    expect(host.published("task.updated")).toMatchObject([
      { version: 1, source: "tool_call", tool_name: "TodoWrite", subtasks: 2, done: 0 },
      { version: 2, source: "tool_call", tool_name: "TodoWrite", subtasks: 3, done: 1 },
    ]);
    const told = await get(host);
    const restarted = await host.restarted();
    expect(await get(restarted)).toEqual(told);
    await restarted.manager.stop();
  });

  it("is no update when it changes nothing, is not understood, or is another tool's", async () => {
    const host = await begin();
    await answer(host, "c1", todos(["Read", "pending"]));
    await result(host, "c1");
    for (const [at, [input, name]] of [
      [todos(["Read", "pending"]), "TodoWrite"] as const,
      [todos(["Read", "surely done"]), "TodoWrite"] as const,
      [todos(["Read", "completed"]), "read_file"] as const,
    ].entries()) {
      await host.call("on_turn_start", session);
      await answer(host, `d${at}`, input, name);
      await result(host, `d${at}`);
    }
    expect(host.published("task.updated")).toHaveLength(1);
  });

  it("is read once, however often the agent sends its whole history, and an old list undoes no new one", async () => {
    const host = await opened(format);
    const history = [
      say.user("Mend the parser."),
      say.answer("I plan.", [{ id: "c1", name: "TodoWrite", input: todos(["Read", "pending"]) }]),
      ...say.results([{ id: "c1", content: "ok" }]),
      say.answer("On.", [{ id: "c2", name: "TodoWrite", input: todos(["Read", "completed"]) }]),
      ...say.results([{ id: "c2", content: "ok" }]),
    ];
    await host.call("on_turn_start", { ...session, history: history.slice(0, 3) });
    await host.call("on_turn_start", { ...session, history });
    await host.call("on_turn_start", { ...session, history });
    expect(await subtasks(host)).toEqual(["t1 Read done"]);
    // The agent shortens a result in the middle: everything from there on is taken in again.
    const shortened = [...history];
    shortened.splice(2, 1, ...say.results([{ id: "c1", content: "OK." }]));
    await host.call("on_turn_start", { ...session, history: shortened });
    expect(await subtasks(host)).toEqual(["t1 Read done"]);
    expect(host.published("task.updated")).toHaveLength(2);
  });
});
