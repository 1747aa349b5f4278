import { describe, expect, it } from "vitest";
import { refused, TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

async function opened(
  settings: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 10_000, settings, ...more });
  return host;
}

describe("a budget that is exceeded", () => {
  it("is told once at each limit, and again only after it has recovered", async () => {
    // 8 % of 10,000: 800 tokens, of which 640 are soft.
    const host = await opened();
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend it.")] });
    for (const seed of ["a", "b", "c", "d", "e", "f"]) {
      await host.call("context.append", { ...session, text: prose(200, seed) });
    }
    expect(host.published("budget.soft_exceeded")).toMatchObject([
      { component: "memory_injection", limit_tokens: 640 },
    ]);
    expect(host.published("budget.hard_exceeded")).toMatchObject([
      { component: "memory_injection", limit_tokens: 800 },
    ]);
    expect(host.published("budget.recovered")).toEqual([]);
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Go on.")] });
    expect(host.published("budget.hard_exceeded"), "a turn later it is known").toHaveLength(1);
  });

  it("tells when it has recovered, and then when it is exceeded again", async () => {
    const host = await opened({ eviction: { keep_recent_units: 0, min_tokens_freed: 0 } });
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend it.")] });
    for (const seed of ["a", "b", "c", "d"]) await host.call("context.append", { ...session, text: prose(300, seed) });
    expect(host.published("budget.hard_exceeded")).toHaveLength(1);
    await host.call("on_overflow", session);
    await host.call("on_overflow", session);
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Go on.")] });
    expect(host.published("budget.recovered")).toMatchObject([{ component: "memory_injection", state: "ok" }]);
    for (const seed of ["e", "f", "g", "h"]) await host.call("context.append", { ...session, text: prose(300, seed) });
    expect(host.published("budget.hard_exceeded")).toHaveLength(2);
  });

  it("is remembered over a restart", async () => {
    const host = await opened();
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend it.")] });
    for (const seed of ["a", "b", "c", "d", "e"]) {
      await host.call("context.append", { ...session, text: prose(200, seed) });
    }
    const after = await host.restarted();
    await after.call("context.append", { ...session, text: prose(200, "f") });
    expect(after.published("budget.hard_exceeded")).toEqual([]);
    await after.manager.stop();
  });
});

describe("a strict budget", () => {
  const strict = { budget: { enforcement: "strict" } };

  it("refuses a system prompt that is over its share", async () => {
    const host = new TestManager();
    const open = {
      ...session,
      model: "gpt-4o",
      max_context_tokens: 4_000,
      settings: strict,
      system: prose(600, "rule"),
    };
    const error = await refused(host.call("session.open", open), "budget_exceeded");
    expect(error.data).toMatchObject({ path: "system", hard_limit_tokens: 240 });
  });

  it("refuses one that comes among the messages as well, and nothing of the call remains", async () => {
    const host = await opened(strict);
    const messages = [
      { role: "system", content: prose(900, "rule") },
      { role: "user", content: "Mend it." },
    ];
    const error = await refused(host.call("on_turn_start", { ...session, messages }), "budget_exceeded");
    expect(error.data["path"]).toBe("messages[0]");
    expect((await host.call("context.get", session)).turn).toBe(0);
    const reply = await host.call("on_turn_start", { ...session, messages: messages.slice(1) });
    expect(reply.turn).toBe(1);
  });

  it("evicts tool results over their share, though the window has room", async () => {
    const run = async (settings: Record<string, unknown>) => {
      const host = await opened({ ...settings, eviction: { keep_recent_units: 1, min_tokens_freed: 0 } });
      await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend it.")] });
      for (let step = 0; step < 5; step++) {
        const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
        await host.call("on_turn_end", { ...session, message: wire.openai.answer("I look.", [call]) });
        const content = prose(450, `step ${step}`);
        await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content });
        await host.call("on_turn_start", session);
      }
      return host;
    };
    const free = await run({});
    expect(free.published("history.compacted")).toEqual([]);
    const host = await run(strict);
    expect(host.published("history.compacted").map(({ cause }) => cause)).toContain("budget");
    for (const { block_type } of host.published("block.evicted")) expect(block_type).toBe("tool_result");
    const { components } = await host.call("budget.report", session);
    const { used_tokens, hard_limit_tokens } = components["tool_results"] as Record<string, number>;
    expect(used_tokens).toBeLessThanOrEqual(hard_limit_tokens as number);
  });

  it("lets memory over its share go", async () => {
    const host = await opened({ ...strict, eviction: { keep_recent_units: 1, min_tokens_freed: 0 } });
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend it.")] });
    for (const seed of ["a", "b", "c", "d", "e"])
      await host.call("context.append", { ...session, text: prose(250, seed) });
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Go on.")] });
    for (const { block_type } of host.published("block.evicted")) expect(block_type).toBe("memory_injection");
    const { components } = await host.call("budget.report", session);
    expect((components["memory_injection"] as Record<string, number>)["used_tokens"]).toBeLessThanOrEqual(800);
  });
});

describe("tool definitions over their budget", () => {
  it("are told with the biggest tools by name", async () => {
    const tool = (name: string, words: number) => ({
      type: "function",
      function: { name, description: prose(words, name), parameters: { type: "object", properties: {} } },
    });
    const host = await opened({}, { tools: [tool("small", 40), tool("mcp__git__log", 500), tool("middle", 200)] });
    const { advice } = await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend it.")] });
    expect(advice).toMatchObject([
      { kind: "tool_definitions", tools: [{ tool: "mcp__git__log" }, { tool: "middle" }, { tool: "small" }] },
    ]);
    const report = await host.call("budget.report", session);
    expect(report.servers).toMatchObject([
      { server: "git", tools: 1 },
      { server: null, tools: 2 },
    ]);
  });
});

describe("budget.check", () => {
  it("answers for what is about to be added, and changes nothing", async () => {
    const host = await opened();
    const before = host.events.length;
    const check = { ...session, component: "memory_injection" };
    expect(await host.call("budget.check", { ...check, tokens: 600 })).toMatchObject({ state: "ok", allowed: true });
    expect(await host.call("budget.check", { ...check, tokens: 700 })).toMatchObject({ state: "soft", allowed: true });
    expect(await host.call("budget.check", { ...check, tokens: 801 })).toMatchObject({
      state: "hard",
      allowed: false,
      used_tokens: 0,
      projected_tokens: 801,
      hard_limit_tokens: 800,
    });
    expect(host.events.length).toBe(before);
  });
});
