import { describe, expect, it } from "vitest";
import { TestManager } from "../support/manager.ts";

const session = { session_id: "s" };

/** 128,000 tokens; the sizes that the runtime reports at each turn's start. */
const WINDOW = 128_000;

async function measured(sizes: readonly number[]): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: WINDOW });
  for (const input_tokens of sizes) {
    await host.call("on_turn_start", { ...session, model_reported: { input_tokens } });
  }
  return host;
}

function series(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

describe("a context that grows from 5,000 to 118,000 tokens in a window of 128k", () => {
  const sizes = [...series(5_000, 117_000, 4_000), 118_000];

  it("passes the zones in their order, at .50, .75 and .90", async () => {
    const host = await measured(sizes);
    expect(host.published("zone.changed").map(({ from, to, tokens }) => ({ from, to, tokens }))).toEqual([
      { from: "green", to: "yellow", tokens: 65_000 },
      { from: "yellow", to: "orange", tokens: 97_000 },
      { from: "orange", to: "red", tokens: 117_000 },
    ]);
  });

  it("is read as it was reported, with its utilization and source", async () => {
    const host = await measured(sizes);
    const readings = host.published("pressure.measured").filter(({ moment }) => moment === "turn");
    expect(readings.map(({ tokens }) => tokens)).toEqual(sizes);
    for (const { tokens, utilization, max_tokens, source } of readings) {
      expect(utilization).toBe(tokens / WINDOW);
      expect(max_tokens).toBe(WINDOW);
      expect(source).toBe("model_reported");
    }
  });

  it("has the mean growth of the last turns for its velocity, from the second reading on", async () => {
    const host = await measured(sizes);
    const readings = host.published("pressure.measured").filter(({ moment }) => moment === "turn");
    expect(readings[0]).toMatchObject({ velocity_tokens_per_turn: null, turns_until_red: null });
    expect(readings[1]?.velocity_tokens_per_turn).toBe(4_000);
    expect(readings[20]?.velocity_tokens_per_turn).toBe(4_000);
    expect(readings.at(-1)?.velocity_tokens_per_turn).toBe((4 * 4_000 + 1_000) / 5);
  });

  it("knows the turns until red, which reach 0 in red", async () => {
    const host = await measured(sizes);
    const readings = host.published("pressure.measured").filter(({ moment }) => moment === "turn");
    for (const { tokens, turns_until_red: turns } of readings.slice(1, -1)) {
      expect(turns).toBeCloseTo(Math.max(0, 0.9 * WINDOW - tokens) / 4_000, 9);
    }
    expect(readings.at(-1)?.turns_until_red).toBe(0);
  });

  it("is routed by its zone, sooner where the forecast says so", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: WINDOW });
    const actions = new Map<number, string>();
    const statuses = new Map<number, string>();
    for (const input_tokens of [5_000, 63_000, 64_000, 95_000, 96_000, 115_000, 115_200, 121_600]) {
      const reply = await host.call("on_turn_start", { ...session, model_reported: { input_tokens } });
      actions.set(input_tokens, reply.action);
      statuses.set(input_tokens, reply.status);
    }
    expect(actions.get(5_000)).toBe("none");
    expect(actions.get(64_000)).toBe("evict");
    expect(actions.get(96_000)).toBe("evict");
    expect(actions.get(115_200)).toBe("compact");
    expect(actions.get(121_600), "nothing could be freed").toBe("cross_window_save");
    expect([...statuses.values()]).toEqual([
      "healthy",
      "active_management",
      "active_management",
      "active_management",
      "active_management",
      "active_management",
      "active_management",
      "emergency",
    ]);
  });

  it("lists candidates at yellow and removes nothing", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: WINDOW });
    const message = { role: "assistant", content: "I have looked at the parser." };
    await host.call("on_turn_start", { ...session, messages: [{ role: "user", content: "Mend it." }] });
    for (let step = 0; step < 5; step++) await host.call("on_turn_end", { ...session, message });
    let reply = await host.call("on_turn_start", { ...session, model_reported: { input_tokens: 65_000 } });
    reply = await host.call("on_turn_start", { ...session, model_reported: { input_tokens: 65_100 } });
    reply = await host.call("on_turn_start", { ...session, model_reported: { input_tokens: 65_200 } });
    for (let turn = 0; turn < 20; turn++) {
      reply = await host.call("on_turn_start", { ...session, model_reported: { input_tokens: 65_300 + turn } });
    }
    expect(reply.action).toBe("evaluate");
    expect(reply.candidates.length).toBeGreaterThan(0);
    expect(reply.candidates[0]).toMatchObject({ type: "assistant_response" });
    expect(reply.applied).toEqual([]);
    expect(host.published("block.evicted")).toEqual([]);
  });

  it("comes down through a zone only below its threshold by the hysteresis", async () => {
    const host = await measured([50_000, 64_000, 62_000, 61_500, 61_000]);
    expect(host.published("zone.changed").map(({ to, tokens }) => ({ to, tokens }))).toEqual([
      { to: "yellow", tokens: 64_000 },
      { to: "green", tokens: 61_000 },
    ]);
  });

  it("that leaps tells a spike, once", async () => {
    const host = await measured([5_000, 9_000, 13_000, 17_000, 21_000, 41_000, 45_000]);
    expect(host.published("velocity.spiked")).toEqual([{ growth_tokens: 20_000, baseline_tokens: 4_000, turn: 6 }]);
  });
});

describe("a size that the runtime reports", () => {
  it("may be what is left of the window", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: WINDOW });
    const reply = await host.call("on_turn_start", { ...session, model_reported: { remaining_tokens: 28_000 } });
    expect(reply.reading).toMatchObject({ tokens: 100_000, zone: "orange", source: "model_reported" });
  });

  it("may correct the window, which is then no guess any more", async () => {
    const host = new TestManager();
    const opened = await host.call("session.open", { ...session, model: "some-model-of-tomorrow" });
    expect(opened).toMatchObject({ window_guessed: true, max_context_tokens: 128_000 });
    const reply = await host.call("on_turn_start", {
      ...session,
      model_reported: { input_tokens: 20_000, window_tokens: 32_000 },
    });
    expect(reply.reading).toMatchObject({ max_tokens: 32_000, window_guessed: false, zone: "yellow" });
    expect(host.published("window.resized")).toEqual([{ max_tokens: 32_000, learned_from: "model_reported" }]);
  });
});
