import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { NO_PLUGINS, resolveSettings } from "../../src/config/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { openNeedModel } from "../../src/need-models.ts";
import { messageTokens, REPLAY_MODEL, replayModel } from "../../src/replay/counting.ts";
import { managedContender } from "../../src/replay/managed.ts";
import { prepareRun } from "../../src/replay/prepared-run.ts";
import { parseRun } from "../../src/replay/recorded-run.ts";
import { Replayer, type ReplayOptions } from "../../src/replay/replay.ts";
import { reportOf } from "../../src/replay/report.ts";
import { sessionWindow } from "../../src/replay/windows.ts";
import { ModelCatalogue, relativePrices, TokenCounter } from "../../src/tokens/index.ts";
import { configWith } from "../config/config-with.ts";
import { TestManager } from "../support/manager.ts";

const config = configWith();
const text = readFileSync(new URL("../fixtures/replay/runs/long-run.jsonl", import.meta.url), "utf8");

function replayerOf(options: Partial<ReplayOptions>) {
  const all = {
    policies: ["hybrid"],
    windows: ["6k"],
    count: "o200k_base",
    model: null,
    format: null,
    ...options,
  } as const;
  return { options: all, replayer: new Replayer(all, { config, plugins: NO_PLUGINS }) };
}

async function figuresOf(options: Partial<ReplayOptions>) {
  const { replayer } = replayerOf(options);
  const { replayed } = await replayer.replay(text, "long-run");
  return Object.fromEntries(replayed.map(({ policy, figures }) => [policy, figures]));
}

describe("a replay", () => {
  test("of a policy that never edits loses nothing and costs what no management costs", async () => {
    const { none } = await figuresOf({ policies: ["none"] });
    expect(none).toMatchObject({ line: 1, value: 1, far: 1, grounded: 1, edits: 0, editedRequests: 0 });
    expect(none?.cost).toBeCloseTo(1, 12);
    expect(none?.peak).toBeGreaterThan(2);
  });

  test("of policies that edit keeps every request inside the window, and pays for what it keeps", async () => {
    const figures = await figuresOf({ policies: ["hybrid", "fifo", "lru", "sliding_window", "drop_oldest"] });
    expect(Object.keys(figures)).toHaveLength(5);
    for (const own of Object.values(figures)) {
      expect(own.peak).toBeGreaterThan(0.9);
      expect(own.peak).toBeLessThanOrEqual(1);
      expect(own.edits).toBeGreaterThan(0);
      expect(own.line).toBeGreaterThan(0);
      expect(own.line).toBeLessThan(0.9);
      expect(own.value ?? 0).toBeGreaterThanOrEqual(own.line ?? 1);
      expect(own.prefixHits).toBeLessThan(own.tokensSent);
    }
  });

  test("is the same each time", async () => {
    expect(await figuresOf({})).toEqual(await figuresOf({}));
  });

  test("in Anthropic's format asks for the same needs", async () => {
    const openai = await figuresOf({ policies: ["hybrid", "plain_sliding"] });
    const anthropic = await figuresOf({ policies: ["hybrid", "plain_sliding"], format: "anthropic" });
    for (const [policy, own] of Object.entries(anthropic)) {
      expect(own.needs).toBe(openai[policy]?.needs);
      expect(Math.abs((own.line ?? 0) - (openai[policy]?.line ?? 1))).toBeLessThan(0.1);
    }
  });

  test("hands out what the manager hands to an agent that calls its hooks", async () => {
    const window = 6000;
    const catalogue = new ModelCatalogue({
      [REPLAY_MODEL]: replayModel("o200k_base", new ModelCatalogue().find("gpt-4o").prices),
    });
    const counter = new TokenCounter({ workerUrl: null });
    const run = prepareRun(parseRun(text, "long-run"), {
      format: "openai",
      background: new Set(),
      tokensOf: (format) => messageTokens("o200k_base", format, { counter, catalogue }),
    });
    const contexts: unknown[] = [];
    const contender = managedContender("fifo", {
      config,
      plugins: NO_PLUGINS,
      catalogue,
      counter,
      needModel: openNeedModel(config),
    });
    for await (const { context } of contender.play(run, window)) contexts.push(context.messages);

    const agent = new TestManager({ checkReplies: false });
    const maxTokens = sessionWindow(window, resolveSettings(config, config.profile));
    await agent.call("session.open", { session_id: "s", model: "gpt-4o", max_context_tokens: maxTokens });
    const handed: unknown[] = [];
    const fresh: JsonObject[] = [];
    for (const message of run.conversation.messages) {
      if (message["role"] === "assistant") {
        const { messages } = await agent.call("on_turn_start", { session_id: "s", messages: fresh.splice(0) });
        handed.push(messages);
        await agent.call("on_turn_end", { session_id: "s", message });
      } else if (message["role"] === "tool") {
        const { tool_call_id, content } = message;
        await agent.call("on_tool_result", { session_id: "s", tool_call_id, tool_name: "read_file", content });
      } else fresh.push(message);
    }
    expect(contexts).toHaveLength(61);
    expect(contexts).toEqual(handed);
  });

  test("reckons cost and payback with the prices of the model that it is told", async () => {
    const usual = (await figuresOf({ policies: ["plain_sliding"] }))["plain_sliding"];
    const own = (await figuresOf({ policies: ["plain_sliding"], model: "gpt-4o" }))["plain_sliding"];
    const prices = relativePrices(new ModelCatalogue().find("gpt-4o").prices);
    expect(prices).not.toEqual({ read: 0.1, write: 1.25 });
    expect(own?.timeline).toEqual(usual?.timeline);
    expect(own?.cost).not.toBeCloseTo(usual?.cost ?? 0, 3);
    const { tokensRewritten, cost } = own?.payback ?? { tokensRewritten: 0, cost: 0 };
    expect(cost).toBeCloseTo(tokensRewritten * (prices.write - prices.read), 6);
  });

  test("tells the tools whose results were regretted", async () => {
    const { plain_sliding: sliding, none } = await figuresOf({ policies: ["plain_sliding", "none"] });
    expect(none?.regret).toMatchObject({ needs: 0, weight: 0 });
    const bySource = [...(sliding?.regret.bySource ?? [])];
    expect(bySource.map(([source]) => source)).toContain("read_file");
    expect(bySource.reduce((sum, [, { needs }]) => sum + needs, 0)).toBe(sliding?.regret.needs);
    expect(sliding?.regret.weight ?? 1).toBeLessThanOrEqual(
      (1 - (sliding?.line ?? 1)) * (sliding?.needWeight ?? 0) + 1e-9,
    );
  });

  test("tells why a window says nothing of a run", async () => {
    const { replayer } = replayerOf({ windows: ["1k", "60%", "100k"] });
    const { replayed, skipped } = await replayer.replay(text, "long-run");
    expect(replayed.map(({ window }) => window)).toEqual(["60%"]);
    expect(skipped).toEqual([
      { window: "1k", reason: "window_too_small" },
      { window: "100k", reason: "window_does_not_bind" },
    ]);
  });

  test.each([
    [{ policies: ["hybird"] }, /There is no policy hybird; choose from hybrid, fifo/],
    [{ windows: ["much"] }, /much is no window/],
  ])("with %j is refused", (options, message) => {
    expect(() => replayerOf(options)).toThrow(message);
  });
});

describe("a report", () => {
  test("sums up runs by window and policy, by family, and against the first policy", async () => {
    const { options, replayer } = replayerOf({ policies: ["none", "fifo"], windows: ["6k", "100k"] });
    const one = await replayer.replay(text, "long-run");
    const other = { ...one, id: "other", family: "other" };
    const report = reportOf(options, [one, other], [{ path: "x", reason: "invalid_params", message: "x is no run." }]);
    expect(report).toMatchObject({ runs: 2, tasks: 2, policies: ["none", "fifo"], count: "o200k_base" });
    expect(report.skipped).toEqual([{ window: "100k", reason: "window_does_not_bind", runs: 2 }]);
    expect(report.failures).toHaveLength(1);
    expect(report.replays).toHaveLength(4);
    const [none, fifo] = report.results;
    const own = one.replayed.find(({ policy }) => policy === "fifo")?.figures;
    expect(none).toMatchObject({ window: "6k", policy: "none", runs: 2, difference: null });
    expect(fifo).toMatchObject({
      policy: "fifo",
      edits: 2 * (own?.edits ?? 0),
      tokens_sent: 2 * (own?.tokensSent ?? 0),
    });
    expect(fifo?.line?.mean).toBeCloseTo(own?.line ?? 0, 12);
    expect(fifo?.difference?.to).toBe("none");
    expect(fifo?.difference?.line?.mean).toBeCloseTo((own?.line ?? 0) - 1, 12);
    expect(fifo?.regret_share?.mean).toBeCloseTo((own?.regret.weight ?? 0) / (own?.needWeight ?? 1), 12);
    expect(fifo?.regret.needs).toBe(2 * (own?.regret.needs ?? 0));
    expect(fifo?.payback.breaks).toBe(2 * (own?.breaks.length ?? 0));
    expect(fifo?.payback.ratio).toBeCloseTo((own?.payback.saving ?? 0) / (own?.payback.cost ?? 1), 12);
    expect(none?.payback).toMatchObject({ breaks: 0, ratio: null });
    const requests = (zones: Readonly<Record<string, number>> = {}) => Object.values(zones).reduce((a, b) => a + b, 0);
    expect(requests(fifo?.zones)).toBe(2 * (own?.requests ?? 0));
    expect(fifo?.zones.red).toBe(0);
    expect(none?.zones.red).toBeGreaterThan(0);
    expect(report.replays[0]?.timeline.tokens).toHaveLength(own?.requests ?? 0);
    expect(fifo?.families).toMatchObject({ made: { runs: 1, line: own?.line }, other: { runs: 1, line: own?.line } });
  });

  test("tells tasks apart by what was asked where all records of a family name one task", async () => {
    const { options, replayer } = replayerOf({ policies: ["none"] });
    const one = await replayer.replay(text, "long-run");
    const other = { ...one, id: "b", promptKey: "another" };
    expect(reportOf(options, [one, other], []).tasks).toBe(2);
    expect(reportOf(options, [one, { ...other, promptKey: one.promptKey }], []).tasks).toBe(1);
  });
});
