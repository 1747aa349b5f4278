import { describe, expect, it } from "vitest";
import { messageFormats } from "../../../src/messages/index.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { refused, type TestManager } from "../../support/manager.ts";
import { documentOf, own, TASK, WINDOW_BY_WINDOW, workedSession, workStep } from "../../support/windowed-session.ts";
import { prose, wire } from "../../support/wire-messages.ts";

const SMALL = { max_context_tokens: 8000, settings: WINDOW_BY_WINDOW } as const;

/** Works on until a turn's start opens a window; answers its reply. */
async function untilChanged(host: TestManager, from = 0) {
  for (let step = from; step < from + 30; step++) {
    const reply = await workStep(host, step, 700);
    if (reply.action === "cross_window_save") return { reply, step };
  }
  throw new Error("no window was opened");
}

describe("a window that is full", () => {
  it("is closed and the next one opened in one call, in one journal row", async () => {
    const host = await workedSession({ open: SMALL });
    const { reply } = await untilChanged(host);
    expect(reply).toMatchObject({
      window_id: "s#2",
      action: "cross_window_save",
      checkpoint: { reason: "window_change", window_id: "s#1", turn: reply.turn },
    });
    expect(reply.reading.utilization).toBeLessThan(0.6);
    expect(messageFormats.openai.check({ messages: reply.messages as JsonObject[] })).toEqual([]);
    const rows = await host.journal.rows({ tenant: "acme", id: "s" }, { from: 1, limit: 1000 });
    const row = rows.filter(({ body }) => /"window\.(closed|opened)"/.test(body)).at(-1);
    const types = (JSON.parse(row?.body ?? "{}") as { events: { type: string }[] }).events.map(({ type }) => type);
    const steps = ["turn.started", "history.compacted", "checkpoint.saved", "window.closed", "window.opened"];
    expect(types.filter((type) => steps.includes(type))).toEqual(steps);
    const opened = host.published("window.opened").at(-1);
    expect(opened).toMatchObject({ number: 2, cause: "cross_window_save" });
    expect(opened?.checkpoint_id).toBe(reply.checkpoint?.checkpoint_id);
    expect(host.published("window.closed")).toMatchObject([{ window_id: "s#1", number: 1 }]);
  });

  it("hands on system, task, constraints, the step under way and recent ones, and the bootstrap once", async () => {
    const host = await workedSession({ open: SMALL });
    const { reply, step } = await untilChanged(host);
    const text = JSON.stringify(reply.messages);
    expect(reply.messages?.slice(0, 2)).toEqual([
      { role: "system", content: "Be careful." },
      wire.openai.user(TASK.goal),
    ]);
    for (const rule of [...TASK.constraints, ...TASK.success_criteria]) expect(text).toContain(rule);
    expect(text).toContain(`"call_${step}"`);
    expect(text.match(/<bootstrap /g)).toHaveLength(1);
    // The ordinary one takes its place with the first pass of the window that writes it anew.
    const { reply: second } = await untilChanged(host, step + 1);
    expect(JSON.stringify(second.messages).match(/<bootstrap /g)).toHaveLength(1);
  });

  it("answers a retry as it answered the call, and opens no second one", async () => {
    const host = await workedSession({ open: SMALL });
    let first: Awaited<ReturnType<typeof workStep>> | null = null;
    let key = "";
    for (let step = 0; first?.action !== "cross_window_save"; step++) {
      const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
      await host.call("on_turn_end", { ...own, message: wire.openai.answer("I look.", [call]) });
      const content = prose(700, `step ${step}`);
      await host.call("on_tool_result", { ...own, tool_call_id: call.id, tool_name: "bash", content });
      key = `k${step}`;
      first = await host.call("on_turn_start", { ...own, idempotency_key: key });
    }
    expect(await host.call("on_turn_start", { ...own, idempotency_key: key })).toEqual(first);
    const next = await host.restarted();
    expect(await next.call("on_turn_start", { ...own, idempotency_key: key })).toEqual(first);
    expect((await next.session("s")).windowNumber).toBe(2);
    expect(next.events).toEqual([]);
  });
});

describe("an agent that keeps its context itself and reports only how large it is", () => {
  it("is told to begin anew, and again only when it has had turns to do so", async () => {
    const host = await workedSession({ open: { max_context_tokens: 32_000 } });
    const actions: string[] = [];
    for (let turn = 0; turn < 9; turn++) {
      await host.call("on_turn_end", { ...own, message: wire.openai.answer(prose(20, `answer ${turn}`)) });
      const messages = [wire.openai.user("Go on.")];
      const reported = { input_tokens: 31_000 };
      actions.push((await host.call("on_turn_start", { ...own, messages, model_reported: reported })).action);
    }
    expect(actions[0]).toBe("cross_window_save");
    const changes = actions.flatMap((action, at) => (action === "cross_window_save" ? [at] : []));
    for (const [n, at] of changes.slice(1).entries()) expect(at - (changes[n] as number)).toBeGreaterThanOrEqual(3);
  });

  it("is left alone where it did", async () => {
    const host = await workedSession({ open: { max_context_tokens: 32_000 } });
    for (let turn = 0; turn < 6; turn++) {
      await host.call("on_turn_end", { ...own, message: wire.openai.answer("So.") });
      const model_reported = { input_tokens: turn === 0 ? 31_000 : 3000 + 100 * turn };
      await host.call("on_turn_start", { ...own, messages: [wire.openai.user("Go on.")], model_reported });
    }
    expect(host.published("window.opened").map(({ number }) => number)).toEqual([1, 2]);
  });
});

describe("window.open", () => {
  it("closes the window and opens the next from a checkpoint", async () => {
    const host = await workedSession({ steps: 10 });
    await host.call("task.update", { ...own, next_step: "Write the table." });
    const reply = await host.call("window.open", own);
    expect(reply).toMatchObject({ window_id: "s#2", window_number: 2, checkpoint: { checkpoint_id: "c1" } });
    expect(reply.reading.tokens).toBeLessThan(reply.tokens_before);
    expect(reply.revision).toBe(host.live("s").revision);
    expect(messageFormats.openai.check({ messages: reply.messages as JsonObject[] })).toEqual([]);
    expect(JSON.stringify(reply.messages)).toContain("Write the table.");
    expect(await documentOf(host)).toMatchObject({ window_number: 1, next_step: "Write the table." });
    expect(host.published("window.closed")).toMatchObject([{ number: 1, reason: "requested" }]);
    expect(host.published("window.opened").at(-1)).toMatchObject({ number: 2, cause: "requested" });
  });

  it("rises the versions, which never fall", async () => {
    const host = await workedSession({ steps: 3 });
    const versions = [host.live("s").stateVersion];
    for (let window = 2; window < 6; window++) {
      expect((await host.call("window.open", own)).window_number).toBe(window);
      versions.push(host.live("s").stateVersion);
    }
    for (const [at, version] of versions.slice(1).entries()) expect(version).toBeGreaterThan(versions[at] as number);
  });

  it("opens one however often it is called with one key", async () => {
    const host = await workedSession({ steps: 10 });
    const call = { ...own, idempotency_key: "k" };
    const first = await host.call("window.open", call);
    await workStep(host, 10);
    expect(await host.call("window.open", call)).toEqual(first);
    const next = await host.restarted();
    expect(await next.call("window.open", call)).toEqual(first);
    expect((await next.session("s")).windowNumber).toBe(2);
  });

  it("is refused before a turn, in a closed session, and from a window of the past", async () => {
    const host = await workedSession({ steps: 2 });
    await host.call("session.open", { session_id: "new" });
    await refused(host.call("window.open", { session_id: "new" }), "invalid_params");
    await host.call("window.open", { ...own, window_id: "s#1" });
    await refused(host.call("window.open", { ...own, window_id: "s#1" }), "stale_revision");
    await host.call("session.close", own);
    await refused(host.call("window.open", own), "session_closed");
  });
});

describe("a late call of the old window", () => {
  it("is refused by every method that changes something, with the window that is current", async () => {
    const host = await workedSession({ steps: 3 });
    const old = { ...own, window_id: host.live("s").windowId };
    await host.call("window.open", own);
    const before = await host.call("context.get", { ...own, include: ["blocks", "messages"] });
    const events = host.events.length;
    const calls = {
      on_turn_start: { messages: [wire.openai.user("Go on.")] },
      on_turn_end: { message: wire.openai.answer("Done.") },
      on_tool_result: { tool_call_id: "call_2", tool_name: "bash", content: "late" },
      on_overflow: { provider_error: "too long" },
      "note.write": { text: "late" },
      "task.update": { next_step: "late" },
      "context.append": { text: "late", type: "note" },
      "context.compact": {},
      "context.pin": { block_ids: ["b1"] },
      "checkpoint.save": {},
      "checkpoint.load": { from_session: "s" },
      "window.open": {},
      "session.configure": { settings: {} },
      "session.close": {},
    } as const;
    for (const [name, params] of Object.entries(calls)) {
      const error = await refused(host.call(name as keyof typeof calls, { ...old, ...params }), "stale_revision");
      expect(error.code, name).toBe(-32002);
      expect(error.data, name).toMatchObject({ window_id: "s#2" });
    }
    expect(host.events.length).toBe(events);
    expect(await host.call("context.get", { ...own, include: ["blocks", "messages"] })).toEqual(before);
    await host.call("note.write", { ...own, window_id: "s#2", text: "in time" });
  });

  it("is answered as before where it is the retry of a call that was made in time", async () => {
    const host = await workedSession({ steps: 3 });
    const call = { ...own, window_id: "s#1", idempotency_key: "k", text: "in time" };
    const first = await host.call("note.write", call);
    await host.call("window.open", own);
    expect(await host.call("note.write", call)).toEqual(first);
  });
});
