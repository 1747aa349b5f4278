import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assembleManager } from "../../src/assembly.ts";
import { builtIn } from "../../src/built-in.ts";
import type { CompressionMethod } from "../../src/compression/index.ts";
import { loadConfig, NO_PLUGINS, NO_SOURCES } from "../../src/config/index.ts";
import { commands } from "../../src/manager/commands/index.ts";
import { Publisher } from "../../src/manager/publisher.ts";
import type { PublishedEvent } from "../../src/model/events.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { strategy } from "../../src/model/strategy.ts";
import { openNeedModel } from "../../src/need-models.ts";
import { schemasFor } from "../../src/open-config.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { ModelCatalogue, TokenCounter } from "../../src/tokens/index.ts";
import { TENANT, TestManager, VirtualClock } from "../support/manager.ts";
import { wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const WINDOW = 16_000;

const log = (step: number, lines = 60) =>
  Array.from(
    { length: lines },
    (_, at) => `12:00:${at % 60} worker_${step} took item ${step * 1000 + at} from the queue`,
  ).join("\n");

async function opened(settings: JsonObject, window = WINDOW): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: window, settings });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Find the item that was lost.")] });
  return host;
}

async function step(host: TestManager, number: number, content = log(number)) {
  const call = { id: `call_${number}`, name: "bash", input: { command: `tail ${number}` } };
  await host.call("on_turn_end", { ...session, message: wire.openai.answer(`I look at log ${number}.`, [call]) });
  await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content });
  return host.call("on_turn_start", session);
}

const passes = (host: TestManager) => host.published("history.compacted");

async function untilPass(host: TestManager, content?: (step: number) => string): Promise<number> {
  for (let number = 0; number < 200; number++) {
    await step(host, number, content?.(number));
    if (passes(host).length > 0) return number + 1;
  }
  throw new Error("no pass was made in 200 steps");
}

/** The raw tokens that the edits of the first pass freed, by who made them. */
function freedBy(host: TestManager) {
  const summarized = host.published("block.summarized").filter(({ pass_id }) => pass_id === "p1");
  const evicted = host.published("block.evicted").filter(({ pass_id }) => pass_id === "p1");
  return { summarized, evicted };
}

describe("the cascade of a session", () => {
  it("summarises before it evicts where it says so, and eviction frees only what is left", async () => {
    const cascade = { "0.10": "tool_result_summarization", "0.20": "eviction" };
    const others = {
      eviction: { target_utilization: 0.1 },
      ledger: { enabled: false },
      compaction: { summarizer: "none" },
    };
    const first = await opened({ compression: { cascade }, ...others });
    await untilPass(first);
    expect(passes(first)[0]?.strategy).toBe("tool_result_summarization+eviction");
    const both = freedBy(first);
    expect(both.summarized.length).toBeGreaterThan(3);
    expect(both.evicted.length).toBeGreaterThan(0);
    const alone = await opened({ compression: { cascade: {} }, ...others });
    await untilPass(alone);
    expect(passes(alone)[0]?.strategy).toBe("eviction");
    // Eviction frees what the summaries have left to free, no more: most of the results are still told of.
    expect(both.evicted.length).toBeLessThan(0.6 * freedBy(alone).evicted.length);
    expect(passes(first)[0]?.tokens_after).toBeGreaterThan(0.5 * 0.1 * WINDOW);
  });

  it("tells the tokens of a block that two steps took as they were before both", async () => {
    const cascade = { "0.10": "tool_result_summarization", "0.20": "eviction" };
    const host = await opened({ compression: { cascade }, eviction: { target_utilization: 0.1 } });
    await untilPass(host);
    for (const { tokens_before, rule } of freedBy(host).evicted.filter(
      ({ block_type }) => block_type === "tool_result",
    ))
      expect(tokens_before, rule).toBeGreaterThan(500);
    expect(passes(host)[0]?.tokens_after).toBeLessThan(passes(host)[0]?.tokens_before ?? 0);
    const { rawTokens, blocks, messages } = host.live("s");
    const held = [...blocks.values()].reduce((sum, { tokens }) => sum + tokens, 0);
    expect(rawTokens).toBe(messages.reduce((sum, { overheadTokens }) => sum + overheadTokens, held));
  });

  it("lets texts fade from the threshold of progressive on, and not below it", async () => {
    const strategies: string[] = [];
    for (const cascade of [
      { "0.4": "progressive", "0.5": "eviction" },
      { "0.4": "eviction", "0.99": "progressive" },
    ]) {
      const host = await opened({ compression: { cascade }, eviction: { target_utilization: 0.02 } });
      await untilPass(host);
      strategies.push(String(passes(host)[0]?.strategy));
      expect(freedBy(host).summarized.every(({ method }) => method === "progressive")).toBe(true);
    }
    expect(strategies[0]).toMatch(/^progressive/);
    expect(strategies[1]).toBe("eviction");
  });

  it("compacts the conversation before it evicts where it says so, and the summary stands for it", async () => {
    const host = await opened({ compression: { cascade: { "0.5": "conversation_compaction", "1": "eviction" } } });
    await untilPass(host, (number) => `ERROR: item ${number} was lost\n${log(number)}`);
    expect(passes(host)[0]).toMatchObject({ strategy: "conversation_compaction", summarizer: "extractive" });
    expect(new Set(freedBy(host).evicted.map(({ rule, policy }) => `${rule} ${policy}`))).toEqual(
      new Set(["conversation_compaction.older cascade"]),
    );
    expect(host.published("summary.rewritten")[0]?.facts).toBeGreaterThan(0);
  });

  it("cuts the largest texts when nothing else can free enough", async () => {
    const host = await opened({ compression: { cascade: {} } }, 8_000);
    const call = { id: "call_big", name: "bash", input: { command: "cat" } };
    const text = `All of it:\n${log(1, 200)}`;
    await host.call("on_turn_end", { ...session, message: wire.openai.answer(text, [call]) });
    await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content: "done" });
    const { blocks = [] } = await host.call("context.get", session);
    // A pin on its call keeps the whole step, of which only the agent's words are long.
    await host.call("context.pin", { ...session, block_ids: [blocks.at(-2)?.block_id] });
    for (let number = 2; number < 4; number++) await step(host, number, "short");
    await host.call("on_overflow", session);
    await host.call("on_overflow", session);
    expect(host.published("block.truncated")).toMatchObject([{ rule: "head_tail.largest" }]);
    expect(passes(host).some(({ strategy }) => strategy.includes("head_tail"))).toBe(true);
  });

  it("does not count a pass against the session whose steps all stand at a higher pressure", async () => {
    const host = await opened({
      compression: { cascade: { "0.98": "eviction" }, compaction_utilization_threshold: 0.97 },
      pressure: { thresholds: { yellow: 0.4, orange: 0.5, red: 0.96 }, emergency: 0.99, forecast_turns: 0 },
    });
    for (let number = 0; host.live("s").reading?.zone !== "orange"; number++) await step(host, number, log(number, 20));
    for (let number = 50; number < 54; number++) await step(host, number, "short");
    const skipped = host.published("compaction.skipped").map(({ reason }) => reason);
    expect(new Set(skipped)).toEqual(new Set(["below_threshold"]));
    expect(host.live("s").breaker).toEqual({ idlePasses: 0, openUntilTurn: null });
  });

  it("counts a pass that could free nothing, whichever step comes first", async () => {
    const host = await opened({
      eviction: { protected_types: ["tool_result", "assistant_response"] },
      compression: {
        cascade: { "0.1": "tool_result_summarization", "0.2": "eviction" },
        summarization_threshold_tokens: 100_000,
      },
      pressure: { thresholds: { yellow: 0.2, orange: 0.3, red: 0.9 }, forecast_turns: 0 },
    });
    for (let number = 0; number < 40 && host.live("s").breaker.openUntilTurn === null; number++) {
      await step(host, number, log(number, 20));
    }
    expect(host.live("s").breaker.openUntilTurn).not.toBeNull();
  });

  it("makes nothing shorter where only a forecast asks and the pass would not pay", async () => {
    const host = await opened({
      eviction: { min_tokens_freed: 15_000 },
      compression: { cascade: { "0.3": "tool_result_summarization" } },
      pressure: { forecast_turns: 8 },
    });
    for (let number = 0; host.published("compaction.skipped").length === 0; number++) await step(host, number);
    expect(host.published("compaction.skipped")[0]).toMatchObject({ reason: "min_tokens_freed" });
    expect(host.published("compaction.skipped")[0]?.gate).toMatchObject({ decided: true });
    expect(passes(host)).toEqual([]);
    expect(host.published("block.summarized")).toEqual([]);
  });

  it("merges no text into one that the same pass makes shorter", async () => {
    const cascades = [
      { "0.10": "tool_result_summarization", "0.20": "eviction" },
      { "0.10": "eviction", "0.20": "tool_result_summarization" },
    ];
    for (const cascade of cascades) {
      const host = await opened({
        compression: { cascade },
        eviction: { target_utilization: 0.05, keep_recent_units: 1 },
        ledger: { enabled: false },
      });
      await untilPass(host, (number) => `${log(Math.floor(number / 2))}\nturn ${number}`);
      const { summarized, evicted } = freedBy(host);
      const merged = host.published("block.merged").filter(({ pass_id }) => pass_id === "p1");
      const changed = new Set([...summarized, ...evicted].map(({ block_id }) => block_id));
      for (const { into_block_id } of merged) expect(changed).not.toContain(into_block_id);
    }
  });
});

describe("a plug-in's method", () => {
  it("is a step of the cascade by its name, with its options", async () => {
    const told: unknown[] = [];
    const shout = strategy<z.ZodType, CompressionMethod>(
      "Makes long results loud and short.",
      z.strictObject({ word: z.string().default("LOUD") }),
      (options) => ({
        name: "shout",
        apply(view) {
          told.push(options);
          const blocks = view.units.flatMap((unit) => unit.blocks);
          const edits = blocks
            .filter((block) => block.part.kind === "tool_result" && !view.isProtected(block) && block.state === "whole")
            .map((block) => ({
              method: "summarize" as const,
              blockIds: [block.id],
              tokensBefore: block.tokens,
              tokensAfter: view.tokensWith(block, "LOUD"),
              replacementText: "LOUD",
              rule: "shout.all",
            }));
          return edits.length === 0 ? { kind: "not_applicable", reason: "nothing_whole" } : { kind: "applied", edits };
        },
      }),
    );
    const plugins = { ...NO_PLUGINS, compression_methods: { shout } };
    const flags = [
      { flag: "test", path: ["compression", "cascade"], value: { "0.1": "shout", "0.2": "eviction" } },
      { flag: "test", path: ["compression", "options"], value: { shout: { word: "HEY" } } },
    ];
    const config = loadConfig({ ...NO_SOURCES, flags }, schemasFor(builtIn, plugins));
    const events: PublishedEvent[] = [];
    const catalogue = new ModelCatalogue({});
    const manager = assembleManager({
      config: () => config,
      catalogue: () => catalogue,
      plugins,
      journal: new MemoryJournal(),
      publisher: new Publisher(
        { lastRow: 0 },
        {
          observers: [{ name: "test", observe: (told) => void events.push(...told) }],
          onFault: (_, error) => {
            throw error;
          },
        },
      ),
      counter: new TokenCounter({ workerUrl: null }),
      clock: new VirtualClock(),
      needModel: openNeedModel(config),
    });
    const call = (name: keyof typeof commands, params: JsonObject) =>
      manager.execute(
        commands[name],
        { tenant: TENANT, traceparent: null },
        commands[name].params.parse({ ...session, ...params }) as JsonObject,
      );
    const settings = { eviction: { target_utilization: 0.3 }, ledger: { enabled: false } };
    await call("session.open", { model: "gpt-4o", max_context_tokens: WINDOW, settings });
    await call("on_turn_start", { messages: [wire.openai.user("Find the item.")] });
    for (let number = 0; number < 40 && !events.some(({ type }) => type === "history.compacted"); number++) {
      const id = `call_${number}`;
      const tool = { id, name: "bash", input: {} };
      await call("on_turn_end", { message: wire.openai.answer("I look.", [tool]) });
      await call("on_tool_result", { tool_call_id: id, tool_name: "bash", content: log(number) });
      await call("on_turn_start", {});
    }
    const summarized = events.filter(({ type }) => type === "block.summarized").map(({ data }) => data as JsonObject);
    expect(new Set(summarized.map(({ method, rule }) => `${method} ${rule}`))).toEqual(new Set(["shout shout.all"]));
    expect(told[0]).toEqual({ word: "HEY" });
    await manager.stop();
  });
});
