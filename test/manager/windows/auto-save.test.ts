import { describe, expect, it } from "vitest";
import type { TestManager } from "../../support/manager.ts";
import { own, WINDOW_BY_WINDOW, workedSession, workStep } from "../../support/windowed-session.ts";
import { prose, wire } from "../../support/wire-messages.ts";

const reasons = (host: TestManager) => host.published("checkpoint.saved").map(({ reason }) => reason);
const update = (host: TestManager, params: object) => host.call("task.update", { ...own, ...params });
const subtask = (status: string, id = "t1") => ({ subtasks: [{ id, title: `Subtask ${id}`, status }] });

describe("a milestone", () => {
  it("is a subtask that was done: a checkpoint is saved with it", async () => {
    const host = await workedSession();
    await update(host, subtask("planned"));
    await update(host, subtask("in_progress"));
    await update(host, { next_step: "Go on." });
    expect(reasons(host)).toEqual([]);
    await update(host, subtask("done"));
    expect(host.published("checkpoint.saved")).toMatchObject([
      { checkpoint_id: "c1", reason: "milestone", window_id: "s#1", window_number: 1 },
    ]);
    expect(host.live("s").checkpoints).toMatchObject([{ id: "c1", stateVersion: host.live("s").stateVersion }]);
  });

  it("is one only the first time that it is told", async () => {
    const host = await workedSession();
    await update(host, subtask("done"));
    await update(host, subtask("done"));
    await update(host, { subtasks: [{ id: "t1", note: "Truly." }] });
    expect(reasons(host)).toEqual(["milestone"]);
    await update(host, subtask("done", "t2"));
    expect(reasons(host)).toEqual(["milestone", "milestone"]);
  });

  it("is read from the agent's own todo tool too", async () => {
    const host = await workedSession();
    const todo = (id: string, status: string) => ({
      id,
      name: "TodoWrite",
      input: { todos: [{ content: "Read the parser", status, activeForm: "Reading the parser" }] },
    });
    const say = (call: ReturnType<typeof todo>) =>
      host.call("on_turn_end", { ...own, message: wire.openai.answer("So.", [call]) });
    await say(todo("call_a", "in_progress"));
    await host.call("on_tool_result", { ...own, tool_call_id: "call_a", tool_name: "TodoWrite", content: "ok" });
    await host.call("on_turn_start", own);
    expect(reasons(host)).toEqual([]);
    await say(todo("call_b", "completed"));
    expect(reasons(host)).toEqual(["milestone"]);
  });
});

describe("a window that fills up", () => {
  const filling = () =>
    workedSession({
      steps: 6,
      resultTokens: 800,
      open: { max_context_tokens: 8000, settings: { ...WINDOW_BY_WINDOW, cross_window: { enabled: false } } },
    });

  it("has a checkpoint saved at .85, and then one every five turns if anything changed", async () => {
    const host = await filling();
    expect(reasons(host)).toEqual([]);
    // From here on each turn is measured above the threshold.
    for (let step = 6; step < 9; step++) await workStep(host, step, 500);
    expect(host.live("s").reading?.utilization).toBeGreaterThan(0.85);
    expect(reasons(host)).toEqual(["threshold"]);
    const turn = host.live("s").turn;
    const saved = () => host.live("s").checkpoints.at(-1)?.turn as number;
    const first = saved();
    for (let step = 9; step < 20; step++) {
      await host.call("note.write", { ...own, text: `Note ${step}.` });
      await workStep(host, step, 20);
    }
    const turns = host.live("s").checkpoints.map((each) => each.turn);
    expect(turn).toBeGreaterThanOrEqual(first);
    for (const [at, each] of turns.slice(1).entries()) expect(each - (turns[at] as number)).toBeGreaterThanOrEqual(5);
    expect(turns.length).toBeGreaterThan(1);
    expect(turns.length).toBeLessThanOrEqual(4);
  });

  it("has none saved again while nothing changed", async () => {
    const host = await filling();
    for (let step = 6; step < 20; step++) await workStep(host, step, 60);
    expect(host.live("s").reading?.utilization).toBeGreaterThan(0.85);
    expect(reasons(host)).toEqual(["threshold"]);
  });

  it("has one saved once in the next window too", async () => {
    const host = await workedSession({ open: { max_context_tokens: 8000, settings: WINDOW_BY_WINDOW } });
    for (let step = 0; step < 30; step++) await workStep(host, step, 700);
    const saved = host.published("checkpoint.saved").map(({ reason, window_number }) => `${window_number} ${reason}`);
    expect(saved.slice(0, 4)).toEqual(["1 threshold", "1 window_change", "2 threshold", "2 window_change"]);
  });
});

describe("an overflow", () => {
  it("has a checkpoint saved before anything goes", async () => {
    const host = await workedSession({ steps: 8 });
    const from = host.events.length;
    await host.call("on_overflow", { ...own, provider_error: "too long" });
    const types = host.events.slice(from).map(({ type }) => type);
    expect(reasons(host)).toEqual(["overflow"]);
    expect(types.indexOf("checkpoint.saved")).toBeLessThan(types.indexOf("history.compacted"));
  });
});

describe("a close", () => {
  it("has a checkpoint saved, and hands it over", async () => {
    const host = await workedSession({ steps: 2 });
    await update(host, { next_step: "Read the lexer." });
    const { checkpoint } = await host.call("session.close", own);
    expect(checkpoint).toMatchObject({ checkpoint_id: "c1", reason: "close" });
  });

  it("has none saved where the newest holds it all", async () => {
    const host = await workedSession({ steps: 2 });
    const { checkpoint: saved } = await host.call("checkpoint.save", own);
    await workStep(host, 2);
    const { checkpoint } = await host.call("session.close", own);
    expect(checkpoint).toEqual(saved);
    expect(reasons(host)).toEqual(["requested"]);
  });
});

describe("a session that goes on as it did", () => {
  it("has no checkpoint saved by any of its calls", async () => {
    const host = await workedSession({ steps: 6 });
    await host.call("note.write", { ...own, text: prose(20, "note") });
    await host.call("context.append", { ...own, text: "Look.", type: "note" });
    await host.call("context.compact", own);
    await host.call("session.configure", { ...own, settings: { eviction: { keep_recent_units: 2 } } });
    expect(reasons(host)).toEqual([]);
  });
});
