import { describe, expect, it } from "vitest";
import { sectionsOfText } from "../../src/compression/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { applyPatch, type HandedContext, type PatchOperation } from "../support/handed-context.ts";
import { HeldSummaries } from "../support/held-summaries.ts";
import { type ManagerOptions, refused, TestManager } from "../support/manager.ts";
import { wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const TASK = "Find out why the import is slow.";
const WINDOW = 8_000;
const DECIDED = "I decided to read the batches backwards, because the newest ones are the slow ones.";

const rows = (step: number) =>
  Array.from({ length: 14 }, (_, row) => `row ${row} of page ${step}: value_${step}_${row} is ${step * 100 + row}`);

async function opened(settings: JsonObject = {}, options: ManagerOptions = {}, window = WINDOW): Promise<TestManager> {
  const host = new TestManager(options);
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: window, settings });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user(TASK)] });
  return host;
}

/** One step of the agent; answers the reply of the turn that it leads to. */
async function step(host: TestManager, number: number, content = rows(number).join("\n"), turn: JsonObject = {}) {
  const call = { id: `call_${number}`, name: "list", input: { page: number } };
  const said = number === 0 ? DECIDED : `I look at page ${number}.`;
  await host.call("on_turn_end", { ...session, message: wire.openai.answer(said, [call]) });
  await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "list", content });
  return host.call("on_turn_start", { ...session, ...turn });
}

const folds = (host: TestManager) => host.published("summary.rewritten");
const passes = (host: TestManager) => host.published("history.compacted");

/** Steps until the summary was folded so often. Answers the number of the next step. */
async function untilFolded(host: TestManager, times: number, from = 0): Promise<number> {
  let number = from;
  while (folds(host).length < times) {
    if (number > from + 300) throw new Error(`the summary was not folded ${times} times`);
    await step(host, number++);
  }
  return number;
}

async function textsIn(host: TestManager): Promise<string[]> {
  const { messages = [] } = await host.call("context.get", { ...session, include: ["messages"] });
  return (messages as JsonObject[]).map(({ content }) => String(content ?? ""));
}

const isSummary = (text: string) => text.startsWith("<summary ");
const summaryIn = async (host: TestManager) => (await textsIn(host)).filter(isSummary);

describe("the summary", () => {
  it("holds in one message behind the ledger what a pass dropped", async () => {
    const host = await opened();
    await untilFolded(host, 1);
    const texts = await textsIn(host);
    expect(texts[0]).toBe(TASK);
    const places = texts.flatMap((text, at) => (isSummary(text) ? [at] : []));
    const ledger = texts.flatMap((text, at) => (text.startsWith("<ledger ") ? [at] : []));
    expect(places).toEqual([ledger.length + 1]);
    expect(ledger.length).toBeGreaterThan(0);
    expect(
      texts.some((text) => text === DECIDED),
      "the step has left",
    ).toBe(false);
    expect(sectionsOfText(texts[places[0] as number] as string)?.decisions.join()).toContain("batches backwards");
    expect(passes(host).at(-1)).toMatchObject({ summarizer: "extractive", job_id: null });
  });

  it("stays behind the ledger whose stable segment stays", async () => {
    const host = await opened({ ledger: { refresh_below: 0 } });
    await untilFolded(host, 4);
    expect(host.published("ledger.rebuilt").at(-1)?.stable_kept).toBe(true);
    const kinds = (await textsIn(host)).map((text) => /^<(ledger|summary) /.exec(text)?.[1]).filter(Boolean);
    expect(kinds).toEqual(["ledger", "ledger", "summary"]);
  });

  it("is anchored: what the first fold told stands there after the fifth, in one message still", async () => {
    const host = await opened();
    await untilFolded(host, 5);
    const summaries = await summaryIn(host);
    expect(summaries).toHaveLength(1);
    expect(summaries[0]).toContain("batches backwards");
    expect(folds(host).map(({ generation }) => generation)).toEqual([1, 2, 3, 4, 5]);
    expect(folds(host).map(({ removed_message_id }) => removed_message_id)).toEqual([
      null,
      ...folds(host)
        .slice(0, -1)
        .map(({ message_id }) => message_id),
    ]);
  });

  it("keeps within its share of the window, frame and all, and within its most tokens", async () => {
    for (const [settings, most] of [
      [{}, 0.025 * WINDOW],
      [{ compaction: { summary_max_tokens: 100 } }, 100],
    ] as const) {
      const host = await opened(settings);
      const next = await untilFolded(host, 3);
      for (let number = next; number < next + 12; number++) {
        await step(
          host,
          number,
          `I decided to keep value_${number}, because of page ${number * 7}.\nERROR: page ${number} failed`,
        );
      }
      await untilFolded(host, folds(host).length + 2, next + 12);
      expect(Math.max(...folds(host).map(({ tokens_after }) => tokens_after))).toBeLessThanOrEqual(most);
      expect(folds(host).at(-1)?.tokens_after).toBeGreaterThan(0);
    }
  });

  it("is none where the window has no room for one", async () => {
    const host = await opened({}, {}, 2_000);
    for (let number = 0; number < 60; number++) await step(host, number, rows(number).slice(0, 3).join("\n"));
    expect(passes(host).length).toBeGreaterThan(2);
    expect(folds(host)).toEqual([]);
    expect(passes(host).every(({ summarizer }) => summarizer === "none")).toBe(true);
  });

  it.each([
    ["the settings say so", { compaction: { summarizer: "none" } }],
    ["a policy takes as little as it can", { eviction: { policy: "sliding_window" } }],
  ])("is not written where %s", async (_, settings) => {
    const host = await opened(settings);
    for (let number = 0; passes(host).length < 3; number++) await step(host, number);
    expect(folds(host)).toEqual([]);
    expect(await summaryIn(host)).toEqual([]);
    expect(passes(host).every(({ summarizer }) => summarizer === "none")).toBe(true);
  });

  it("is written for a minimal policy where the settings name who writes it", async () => {
    const host = await opened({ eviction: { policy: "sliding_window" }, compaction: { summarizer: "extractive" } });
    await untilFolded(host, 1);
    expect(await summaryIn(host)).toHaveLength(1);
  });

  it("is protected: no pass takes it, and it takes no pin", async () => {
    const host = await opened();
    await untilFolded(host, 1);
    const block = host.live("s").messageById.get(folds(host)[0]?.message_id ?? "")?.blocks[0]?.id;
    const explained = await host.call("context.explain", { ...session, block_id: block });
    expect(JSON.stringify(explained)).toContain("protected.summary");
    await refused(host.call("context.pin", { ...session, block_ids: [block] }), "invalid_params");
    const edited = [...host.published("block.evicted"), ...host.published("block.summarized")];
    expect(edited.filter(({ block_type }) => block_type === "summary")).toEqual([]);
  });

  it("is the same after a restart, and so is the pass that comes next", async () => {
    const told: unknown[] = [];
    for (const restarts of [false, true]) {
      let host = await opened({}, { snapshotEvery: 5 });
      const next = await untilFolded(host, 2);
      if (restarts) host = await host.restarted();
      await untilFolded(host, restarts ? 1 : 3, next);
      told.push({ texts: await textsIn(host), fold: { ...folds(host).at(-1) }, pass: { ...passes(host).at(-1) } });
    }
    expect(told[1]).toEqual(told[0]);
  });

  it("is no growth: a turn after a pass has grown by what came in", async () => {
    const growth = async (summarizer: string) => {
      const host = await opened({ compaction: { summarizer }, notes: { share: 0.05 } });
      for (let number = 0; passes(host).length < 4; number++) await step(host, number);
      const measured = host.published("pressure.measured").filter(({ moment }) => moment === "turn");
      return measured.map(({ growth_tokens }) => growth_tokens ?? 0);
    };
    const [without, with_] = [await growth("none"), await growth("auto")];
    const common = Math.min(without.length, with_.length);
    expect(with_.slice(2, common)).toEqual(without.slice(2, common));
  });

  it("is told by patches: who applies them holds the context", async () => {
    const host = await opened();
    const full = async () => {
      const {
        messages = [],
        message_ids: ids = [],
        revision,
      } = await host.call("context.get", {
        ...session,
        include: ["messages"],
      });
      return { messages: messages as JsonObject[], ids, revision };
    };
    let held = await full();
    let patched = 0;
    for (let number = 0; folds(host).length < 3; number++) {
      const reply = await step(host, number, undefined, { reply: "patch", base_revision: held.revision });
      const patch = reply.patch as PatchOperation[] | undefined;
      const now = await full();
      if (patch) {
        patched++;
        const applied = applyPatch(held as unknown as HandedContext, patch);
        expect(applied).toMatchObject({ ids: now.ids, messages: now.messages });
      }
      held = now;
    }
    expect(patched).toBeGreaterThan(10);
  });

  it("goes where the window has no room beside the answer's, and is back when there is", async () => {
    const host = await opened({ compaction: { summary_share: 0.15 }, ledger: { share: 0.2 } });
    for (let number = 0; number < 60; number++) {
      await step(
        host,
        number,
        `ERROR: /srv/pages/page_${number}.db cannot be read: code ${number * 31}\n${rows(number).join("\n")}`,
      );
    }
    const before = folds(host).at(-1)?.tokens_after ?? 0;
    expect(before).toBeGreaterThan(300);
    const big = Array.from({ length: 150 }, (_, at) => `line ${at} of what must stay: ${at * 17}`).join("\n");
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("Done.") });
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user(big)] });
    await host.call("on_overflow", session);
    await host.call("on_overflow", session);
    expect(folds(host).at(-1)).toMatchObject({ message_id: null, tokens_after: 0 });
    expect(await summaryIn(host)).toEqual([]);
    const told = host.live("s").summary?.held ?? "";
    expect(told).toContain("cannot be read");
    const again = await host.restarted();
    await again.call("session.configure", { ...session, settings: { max_context_tokens: 40_000 } });
    for (let number = 60; folds(again).length === 0; number++)
      await step(again, number, rows(number).join("\n").repeat(8));
    const [back = ""] = await summaryIn(again);
    for (const line of told.split("\n").filter((each) => each.includes("cannot be read"))) expect(back).toContain(line);
  });

  it("is not written in an emergency where the settings skip it there", async () => {
    const generations: number[] = [];
    for (const skip_in_emergency of [false, true]) {
      const host = await opened({ compaction: { skip_in_emergency }, eviction: { keep_recent_units: 20 } });
      for (let number = 0; number < 12; number++) await step(host, number, rows(number).slice(0, 4).join("\n"));
      expect(folds(host)).toEqual([]);
      await host.call("on_overflow", session);
      await host.call("on_overflow", session);
      expect(passes(host).length).toBeGreaterThan(0);
      generations.push(host.live("s").summary?.generation ?? 0);
    }
    expect(generations[1]).toBeLessThan(generations[0] as number);
  });

  it("is known again when the agent sends the managed list as its own, also as it was before the last fold", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: WINDOW });
    let list: JsonObject[] = [wire.openai.user(TASK)];
    let stale: JsonObject[] = [];
    for (let number = 0; folds(host).length < 3 || stale.length === 0; number++) {
      const before = folds(host).length;
      const { messages = [] } = await host.call("on_turn_start", { ...session, history: list });
      if (before > 0 && folds(host).length > before) stale = list;
      const id = `call_${number}`;
      const steps = [
        wire.openai.answer(number === 0 ? DECIDED : `I look at page ${number}.`, [
          { id, name: "list", input: { number } },
        ]),
        ...wire.openai.results([{ id, content: rows(number).join("\n") }]),
      ];
      list = [...(messages as JsonObject[]), ...steps];
    }
    expect(host.published("message.removed")).toEqual([]);
    const held = await textsIn(host);
    const { messages = [] } = await host.call("on_turn_start", { ...session, history: [...stale, ...list.slice(-2)] });
    expect((messages as JsonObject[]).filter(({ content }) => isSummary(String(content ?? "")))).toHaveLength(1);
    expect(held.filter(isSummary)).toHaveLength(1);
  });
});

describe("who writes the summary", () => {
  it("is no model where the settings want an extract, though one is there", async () => {
    const summaries = new HeldSummaries();
    const host = await opened({ compaction: { summarizer: "extractive" } }, { summaries });
    await untilFolded(host, 2);
    expect(summaries.begun).toEqual([]);
    expect(passes(host).every(({ cause }) => cause === "orange")).toBe(true);
  });

  it.each(["extractive", "none"])(
    "is no model any more once the settings say %s, also where one has written",
    async (summarizer) => {
      const summaries = new HeldSummaries();
      const host = await opened({}, { summaries });
      let number = 0;
      while (summaries.begun.length === 0) await step(host, number++);
      await summaries.end({ kind: "prepared", text: "## Decisions\n- Not to be shown." });
      await host.call("session.configure", { ...session, settings: { compaction: { summarizer } } });
      while (passes(host).length === 0) await step(host, number++);
      expect(passes(host)[0]).toMatchObject({
        summarizer: summarizer === "none" ? "none" : "extractive",
        job_id: null,
      });
      expect((await summaryIn(host)).join()).not.toContain("Not to be shown");
      expect(host.live("s").job).toBeNull();
    },
  );

  it("may be a model, whose goal takes no room from the facts", async () => {
    const summaries = new HeldSummaries();
    const host = await opened({}, { summaries });
    let number = 0;
    while (summaries.begun.length === 0) await step(host, number++);
    const goal = Array.from({ length: 300 }, (_, at) => `aim ${at}`).join(", ");
    await summaries.end({ kind: "prepared", text: `## Goal\n- ${goal}\n\n## Decisions\n- Page 3 is the one.` });
    while (passes(host).length === 0) await step(host, number++);
    expect(folds(host)[0]?.tokens_after).toBeLessThanOrEqual(0.025 * WINDOW);
    const [summary] = await summaryIn(host);
    expect(summary).toContain("Page 3 is the one.");
    expect(summary).not.toContain("aim 7");
  });

  it("is asked for facts that fit beside the frame", async () => {
    const summaries = new HeldSummaries();
    const host = await opened({}, { summaries });
    for (let number = 0; summaries.begun.length === 0; number++) await step(host, number);
    expect(summaries.histories[0]?.limitTokens).toBeLessThan(0.025 * WINDOW - 30);
    expect(summaries.histories[0]?.limitTokens).toBeGreaterThan(64);
  });

  it("is no model where its words would have next to no room", async () => {
    const summaries = new HeldSummaries();
    const host = await opened({ compaction: { summary_max_tokens: 80 } }, { summaries });
    await untilFolded(host, 2);
    expect(summaries.begun).toEqual([]);
  });
});
