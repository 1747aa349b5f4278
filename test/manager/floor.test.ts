import { describe, expect, it } from "vitest";
import type { Session } from "../../src/manager/session.ts";
import { TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const WINDOW = 32_000;
const TURNS = 50;

function tool(name: string, tokens: number) {
  const definition = wire.openai.tool(name) as { function: Record<string, unknown> };
  return { ...definition, function: { ...definition.function, description: prose(tokens, name) } };
}

/** A session with little room above what it cannot free. */
async function narrow(host: TestManager): Promise<void> {
  await host.call("session.open", {
    ...session,
    model: "gpt-4o",
    max_context_tokens: WINDOW,
    system: prose(8_800, "rule"),
    tools: [tool("tiny", 500), tool("huge", 10_400), tool("middling", 8_000)],
  });
}

async function turn(host: TestManager, number: number, resultTokens: number) {
  const asked = number === 1 ? [wire.openai.user("Mend the parser.")] : [];
  const reply = await host.call("on_turn_start", { ...session, messages: asked });
  const call = { id: `call_${number}`, name: "huge", input: { command: `ls ${number}` } };
  await host.call("on_turn_end", { ...session, message: wire.openai.answer("I look.", [call]) });
  const content = prose(resultTokens, `step ${number}`);
  await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "huge", content });
  return reply;
}

/** Tokens that passes freed, in each turn in which there were any. */
function freedByTurn(host: TestManager): number[] {
  const turns: number[] = [0];
  for (const { type, data } of host.events) {
    if (type === "turn.started") turns.push(0);
    else if (type === "history.compacted") turns.push((turns.pop() ?? 0) + data.tokens_before - data.tokens_after);
  }
  return turns.filter((tokens) => tokens > 0);
}

describe("a system prompt and tools of 29k in a window of 32k", () => {
  it("make one event, one alert, and an advice in every turn, but no pass in every turn", async () => {
    const host = new TestManager({ checkReplies: false });
    await narrow(host);
    for (let number = 1; number <= TURNS; number++) {
      const reply = await turn(host, number, 60);
      expect(reply.reading.zone).toBe("red");
      expect(reply.reading.tokens).toBeLessThanOrEqual(WINDOW);
      expect(reply.alerts[0]).toMatchObject({ alert: "ContextFloorAboveRed", severity: "critical", since_turn: 1 });
      const [advice] = reply.advice as { kind: string; sentence: string; tools: { tool: string }[] }[];
      expect(advice?.kind).toBe("floor");
      expect(advice?.tools.map((each) => each.tool)).toEqual(["huge", "middling", "tiny"]);
      expect(advice?.sentence).toMatch(
        /offer fewer tools \(\d+ tokens; the biggest: huge 1\d+, middling .*shorten the/,
      );
    }
    expect(host.published("floor.detected")).toHaveLength(1);
    // A window that full for three turns has an alert of its own, as any that is.
    expect(host.published("alert.raised").map(({ alert }) => alert)).toEqual([
      "ContextFloorAboveRed",
      "ContextUtilizationCritical",
    ]);
    expect(host.published("alert.resolved")).toEqual([]);
    const sweeps = freedByTurn(host);
    expect(sweeps.length).toBeLessThanOrEqual(TURNS / 10);
    for (const tokens of sweeps) expect(tokens).toBeGreaterThan(0.02 * WINDOW);
  });

  it("are planned for anew only when enough has come that a pass could free", async () => {
    const host = new TestManager({ checkReplies: false });
    await narrow(host);
    for (let number = 1; number <= TURNS; number++) await turn(host, number, 60);
    expect(host.published("compaction.failed").length).toBeLessThanOrEqual(TURNS / 5);
    expect(host.published("compaction.skipped").filter(({ reason }) => reason === "floor").length).toBeGreaterThan(35);
  });

  it("stand in the session's own figures until the window is large enough", async () => {
    const host = new TestManager();
    await narrow(host);
    await turn(host, 1, 60);
    expect(await host.call("session.get", session)).toMatchObject({ alerts: [{ alert: "ContextFloorAboveRed" }] });
    const reported = { window_tokens: 128_000 };
    const reply = await host.call("on_turn_start", { ...session, model_reported: reported });
    expect(reply.alerts).toEqual([]);
    expect(reply.advice.map(({ kind }) => kind)).not.toContain("floor");
    expect(host.published("alert.resolved")).toMatchObject([{ alert: "ContextFloorAboveRed", turn: 2 }]);
    expect(await host.call("session.get", session)).toMatchObject({ alerts: [] });
  });

  it("say that the system prompt is the larger part where it is", async () => {
    const host = new TestManager();
    const system = prose(20_000, "rule");
    await host.call("session.open", { ...session, max_context_tokens: WINDOW, system, tools: [tool("huge", 9_000)] });
    const [advice] = (await turn(host, 1, 10)).advice as { sentence: string }[];
    expect(advice?.sentence).toMatch(/: shorten the system prompt \(2\d+ tokens\), or offer fewer tools/);
  });

  it("are the same alert after a restart, and end with the session", async () => {
    let host = new TestManager({ snapshotEvery: 1 });
    await narrow(host);
    await turn(host, 1, 60);
    const known = (each: Session) => ({ alerts: each.alerts, unfreeable: each.unfreeable });
    const before = known(host.live("s"));
    expect(before.unfreeable).toBeGreaterThan(28_000);
    host = await host.restarted();
    expect(known(await host.session("s"))).toEqual(before);
    await turn(host, 2, 60);
    expect(host.published("alert.raised")).toEqual([]);
    await host.call("session.close", session);
    expect(host.published("alert.resolved")).toMatchObject([{ alert: "ContextFloorAboveRed" }]);
  });
});

describe("a step that alone holds a small window in red", () => {
  /** An 8k window keeps a quarter for the answer: red begins at three quarters. */
  async function heldBySteps(resultTokens: number) {
    const host = new TestManager();
    await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 8_192, system: "Be careful." });
    await host.call("context.append", { ...session, text: prose(3_400, "kept"), type: "note", pin: true });
    const asked = [wire.openai.user("Mend the parser.")];
    await host.call("on_turn_start", { ...session, messages: asked });
    const calls = [1, 2, 3].map((n) => ({ id: `call_${n}`, name: "cat", input: { path: `${n}.log` } }));
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("I look.", calls) });
    for (const { id } of calls) {
      const content = prose(resultTokens, id);
      await host.call("on_tool_result", { ...session, tool_call_id: id, tool_name: "cat", content });
    }
    return { host, held: await host.call("on_turn_start", session) };
  }

  it("is told with the figures of its turn, and no longer once a pass has left red", async () => {
    const { host, held } = await heldBySteps(900);
    expect(held.reading.zone).toBe("red");
    expect(held.alerts).toMatchObject([{ alert: "ContextFloorAboveRed", since_turn: 2 }]);
    const [, tokens, window, red] =
      /^At turn 2 (\d+) of (\d+) tokens could not be freed, and red begins at (\d+):/.exec(
        String(held.alerts[0]?.["summary"]),
      ) as unknown as [string, string, string, string];
    expect([Number(window), Number(red)]).toEqual([8_192, 6_144]);
    expect(Number(tokens)).toBeGreaterThanOrEqual(6_144);
    expect(Number(tokens)).toBeLessThanOrEqual(held.reading.tokens);
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("Now I write.", []) });
    const { reading, alerts } = await host.call("on_turn_start", {
      ...session,
      messages: [wire.openai.user("Go on.")],
    });
    expect(reading.zone).not.toBe("red");
    // The room for the answer is no part of what zones are measured by: with it this would still be above red.
    expect(reading.tokens + 2_048).toBeGreaterThan(0.7 * 8_192);
    expect(alerts).toEqual([]);
    expect(host.published("alert.resolved")).toMatchObject([{ alert: "ContextFloorAboveRed", turn: 3 }]);
  });

  it("is no floor where only the room for the answer would reach red", async () => {
    const { host, held } = await heldBySteps(400);
    expect(held.reading.zone).not.toBe("red");
    expect(held.reading.tokens + 2_048).toBeGreaterThan(6_144);
    expect(host.published("floor.detected")).toEqual([]);
    expect(held.alerts).toEqual([]);
  });

  it("is told no longer after a pass that was asked for", async () => {
    const { host } = await heldBySteps(900);
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("Now I write.", []) });
    const { reading } = await host.call("context.compact", { ...session, target_utilization: 0.4 });
    expect(reading.zone).not.toBe("red");
    expect((await host.call("session.get", session)).alerts).toEqual([]);
  });
});

describe("a floor that reaches red only with the room for the answer", () => {
  it("lets a large result go as soon as it is no longer the current step", async () => {
    const host = new TestManager();
    const tools = [tool("huge", 14_000)];
    await host.call("session.open", { ...session, max_context_tokens: WINDOW, system: prose(9_500, "rule"), tools });
    await turn(host, 1, 2_200);
    const { reading: full, alerts } = await turn(host, 2, 60);
    expect(full.zone).toBe("red");
    expect(alerts).toHaveLength(1);
    const { reading } = await turn(host, 3, 60);
    expect(reading.tokens).toBeLessThan(full.tokens - 1_500);
  });
});

describe("passes that free next to nothing", () => {
  /** Most of the context is pinned, below red: no floor of the window, and nothing to take either. */
  async function stuck(): Promise<TestManager> {
    const host = new TestManager();
    await host.call("session.open", { ...session, max_context_tokens: WINDOW, system: "Be careful." });
    await host.call("context.append", { ...session, text: prose(22_000, "kept"), type: "note", pin: true });
    for (let number = 1; number <= 6; number++) await turn(host, number, 30);
    return host;
  }

  it("raise an alert when the breaker opens, once", async () => {
    const host = await stuck();
    expect(host.published("alert.raised")).toMatchObject([{ alert: "CompactionFailing", severity: "warning" }]);
  });

  it("are over when a pass makes progress", async () => {
    const host = await stuck();
    const { blocks } = await host.call("context.get", { ...session, include: ["blocks"] });
    const note = (blocks as { block_id: string; type: string }[]).find(({ type }) => type === "note");
    await host.call("context.unpin", { ...session, block_ids: [note?.block_id] });
    for (let number = 7; number <= 14; number++) await turn(host, number, 30);
    expect(host.published("alert.resolved")).toMatchObject([{ alert: "CompactionFailing" }]);
    expect(host.live("s").alerts).toEqual({});
  });
});
