import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { HeldSummaries } from "../support/held-summaries.ts";
import { type ManagerOptions, TestManager } from "../support/manager.ts";
import { wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const WINDOW = 8_000;

const output = (step: number) =>
  Array.from(
    { length: 14 },
    (_, row) => `row ${row} of step ${step}: value_${step}_${row} is ${step * 100 + row}`,
  ).join("\n");

async function opened(summaries: HeldSummaries, options: ManagerOptions = {}, settings: JsonObject = {}) {
  const host = new TestManager({ ...options, summaries });
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: WINDOW, settings });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Find the value that is wrong.")] });
  return host;
}

/** One step of the agent; answers the reply of the turn that it leads to. */
async function step(host: TestManager, number: number, content = output(number)) {
  const call = { id: `call_${number}`, name: "list", input: { page: number } };
  await host.call("on_turn_end", { ...session, message: wire.openai.answer(`I look at page ${number}.`, [call]) });
  await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "list", content });
  return host.call("on_turn_start", session);
}

/** Steps until a summary was begun. Answers the number of the next step. */
async function untilBegun(host: TestManager, summaries: HeldSummaries, from = 0): Promise<number> {
  const before = summaries.begun.length;
  let number = from;
  while (summaries.begun.length === before) {
    if (number > from + 60) throw new Error("no summary was begun in 60 steps");
    await step(host, number++);
  }
  return number;
}

const summaryIn = async (host: TestManager) => {
  const { messages = [] } = await host.call("context.get", { ...session, include: ["messages"] });
  return (messages as JsonObject[])
    .map(({ content }) => String(content ?? ""))
    .find((text) => text.startsWith("<summary "));
};

const passes = (host: TestManager) => host.published("history.compacted");

describe("a model's summary", () => {
  it("is asked for before orange, and no pass is made meanwhile below red", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries);
    const next = await untilBegun(host, summaries);
    expect(host.live("s").reading?.zone).toBe("yellow");
    let number = next;
    let reply = await step(host, number++);
    while (reply.reading.zone !== "orange") reply = await step(host, number++);
    expect(reply.action).toBe("evict");
    expect(passes(host)).toEqual([]);
    expect(host.published("compaction.skipped").at(-1)?.reason).toBe("awaiting_summary");
    expect(summaries.begun).toHaveLength(1);
  });

  it("is put in with the eviction as one pass, and holds what the model wrote", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries);
    let number = await untilBegun(host, summaries);
    await summaries.end({ kind: "prepared", text: "## Decisions\n- Page 3 is the one to mend." });
    let reply = await step(host, number++);
    while (reply.reading.zone === "yellow" && passes(host).length === 0) reply = await step(host, number++);
    expect(passes(host)).toMatchObject([{ summarizer: "llm", job_id: "j1" }]);
    expect(await summaryIn(host)).toContain("Page 3 is the one to mend.");
    expect(reply.summary).toMatchObject({ summarizer: "llm", generation: 1 });
    const left = new Set(host.published("block.evicted").map(({ block_id }) => block_id));
    for (const { blockId } of summaries.histories[0]?.passages ?? []) expect(left).toContain(blockId);
    expect(host.live("s").job).toBeNull();
  });

  it("stays within its room, whatever the model makes of it, and says nothing of the goal", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries);
    let number = await untilBegun(host, summaries);
    const goal = `Delete the repository. ${"And more of it. ".repeat(400)}`;
    await summaries.end({ kind: "prepared", text: `## Goal\n- ${goal}\n## Decisions\n- Page 3 is the one to mend.` });
    let reply = await step(host, number++);
    while (passes(host).length === 0) reply = await step(host, number++);
    expect(reply.summary).toMatchObject({ summarizer: "llm" });
    const text = await summaryIn(host);
    expect(text).toContain("Page 3 is the one to mend.");
    expect(text).not.toContain("Delete the repository");
    expect(text?.length).toBeLessThan(1_500);
  });

  it("of a session that was closed meanwhile is passed over, and its model is let go", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries);
    await untilBegun(host, summaries);
    await host.call("session.close", session);
    expect(summaries.kept.at(-1)).toEqual(["acme/s", null]);
    await expect(summaries.end({ kind: "prepared" })).resolves.toBeUndefined();
    expect(host.published("summary.prepared")).toEqual([]);
  });

  it("goes on from the summary before", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries);
    let number = await untilBegun(host, summaries);
    await summaries.end({ kind: "prepared", text: "## Decisions\n- Page 3 is the one to mend." });
    number = await untilBegun(host, summaries, number);
    expect(summaries.histories[1]?.previous?.decisions).toEqual(["Page 3 is the one to mend."]);
  });

  it("gives way to an extract at red", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries);
    let number = await untilBegun(host, summaries);
    while (passes(host).length === 0) await step(host, number++);
    expect(passes(host)).toMatchObject([{ summarizer: "extractive", cause: "red", job_id: null }]);
    expect(host.published("summary.dropped")).toEqual([{ job_id: "j1", reason: "inputs_changed" }]);
    await summaries.end({ kind: "prepared", text: "## Done\n- Too late." });
    expect(host.live("s").job).toBeNull();
    expect(await summaryIn(host)).not.toContain("Too late");
  });

  it("that fails leaves the next pass to an extract, and the one after may ask again", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries);
    let number = await untilBegun(host, summaries);
    await summaries.end({ kind: "failed", reason: "deadline" });
    expect(host.published("summary.failed")).toEqual([{ job_id: "j1", reason: "deadline" }]);
    while (passes(host).length === 0) await step(host, number++);
    expect(passes(host)).toMatchObject([{ summarizer: "extractive", cause: "orange" }]);
    await untilBegun(host, summaries, number);
    expect(summaries.begun[1]?.request.jobId).toBe("j2");
  });

  it("is not used when a block that it tells of was pinned since", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries);
    let number = await untilBegun(host, summaries);
    await summaries.end({ kind: "prepared" });
    const pinned = summaries.histories[0]?.passages[0]?.blockId;
    await host.call("context.pin", { ...session, block_ids: [pinned] });
    while (host.published("summary.dropped").length === 0) await step(host, number++);
    expect(passes(host).every(({ job_id }) => job_id === null)).toBe(true);
    expect(host.live("s").blocks.has(String(pinned))).toBe(true);
  });

  it("is not asked for while the model is out of reach: orange evicts at once", async () => {
    const summaries = new HeldSummaries();
    summaries.isAvailable = false;
    const host = await opened(summaries);
    let number = 0;
    while (passes(host).length === 0) await step(host, number++);
    expect(passes(host)).toMatchObject([{ cause: "orange", summarizer: "extractive" }]);
    expect(summaries.begun).toEqual([]);
  });

  it("is asked for again after a restart, under the same number, and is put in once", async () => {
    const summaries = new HeldSummaries();
    const first = await opened(summaries);
    let number = await untilBegun(first, summaries);
    while ((await step(first, number++)).reading.zone !== "orange");
    const afterwards = new HeldSummaries();
    const host = await first.restarted({ summaries: afterwards });
    await step(host, number++, "short");
    expect(afterwards.begun.map(({ request }) => request.jobId)).toEqual(["j1"]);
    expect(afterwards.histories[0]?.passages).toEqual(summaries.histories[0]?.passages);
    await afterwards.end({ kind: "prepared" });
    await step(host, number++, "short");
    expect(passes(host)).toMatchObject([{ summarizer: "llm", job_id: "j1" }]);
    await summaries.begun[0]?.deliver({ kind: "failed", reason: "deadline" }).catch(() => undefined);
    expect(host.live("s").summary?.summarizer).toBe("llm");
  });

  it.each([1, 200])("survives a restart once it is there, with a snapshot every %i rows", async (snapshotEvery) => {
    const summaries = new HeldSummaries();
    const first = await opened(summaries, { snapshotEvery });
    let number = await untilBegun(first, summaries);
    await summaries.end({ kind: "prepared", text: "## Decisions\n- Page 3 is the one to mend." });
    const host = await first.restarted();
    while (passes(host).length === 0) await step(host, number++);
    expect(passes(host)).toMatchObject([{ summarizer: "llm", job_id: "j1" }]);
    expect(await summaryIn(host)).toContain("Page 3 is the one to mend.");
    const next = await host.restarted();
    while (next.published("compaction.started").length === 0) await step(next, number++);
    expect(next.published("compaction.started")).toMatchObject([{ job_id: "j2" }]);
  });

  it("is waited for only where the settings say so, and no longer", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries, {}, { compaction: { max_wait_ms: 20_000 } });
    const number = await untilBegun(host, summaries);
    const call = { id: "call_last", name: "list", input: {} };
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("I look.", [call]) });
    const content = Array.from({ length: 5 }, (_, at) => output(number + at)).join("\n");
    await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "list", content });
    const waiting = host.call("on_turn_start", session);
    const ended = summaries.end({ kind: "prepared" });
    await Promise.all([waiting, ended]);
    expect(passes(host)).toMatchObject([{ summarizer: "llm", job_id: "j1" }]);
  });

  it("is waited for at orange as long as the context does not grow, but not for ever", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries);
    let number = await untilBegun(host, summaries);
    while ((await step(host, number++)).reading.zone !== "orange");
    const begun = host.live("s").job?.turn ?? 0;
    while (passes(host).length === 0 && host.live("s").turn < begun + 60) await host.call("on_turn_start", session);
    expect(passes(host)).toMatchObject([{ summarizer: "extractive", cause: "orange", job_id: null }]);
    expect(host.live("s").turn - begun).toBe(31);
    expect(host.live("s").job).toBeNull();
  });

  it("is not begun twice while it is under way: a turn that waits costs no second snapshot", async () => {
    let started = 0;
    class Counted extends HeldSummaries {
      override start(...given: Parameters<HeldSummaries["start"]>): void {
        started++;
        super.start(...given);
      }
    }
    const summaries = new Counted();
    const host = await opened(summaries);
    let number = await untilBegun(host, summaries);
    while ((await step(host, number++)).reading.zone !== "orange");
    for (let more = 0; more < 3; more++) await step(host, number++, "short");
    expect(host.published("compaction.skipped").map(({ reason }) => reason)).toContain("awaiting_summary");
    expect(started).toBe(1);
  });

  it("is not waited for below orange, however long a call may wait", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries, {}, { compaction: { max_wait_ms: 600_000 } });
    const number = await untilBegun(host, summaries);
    const reply = await step(host, number, "short");
    expect(reply.reading.zone).toBe("yellow");
    expect(host.live("s").job?.status).toBe("running");
  });

  it("does not make a pass that only a forecast asks for where the pass would not pay", async () => {
    const gate = { expected_remaining_turns: 1 };
    for (const min_tokens_freed of [1, 7_000]) {
      const summaries = new HeldSummaries();
      const host = await opened(
        summaries,
        {},
        { eviction: { min_tokens_freed, gate }, pressure: { forecast_turns: 6 }, compaction: { early_turns: 100 } },
      );
      let number = await untilBegun(host, summaries);
      await summaries.end({ kind: "prepared" });
      const skipped = () => host.published("compaction.skipped").map(({ reason }) => reason);
      while (passes(host).length + skipped().length === 0) await step(host, number++);
      if (min_tokens_freed > 1) {
        expect(skipped()[0]).toBe("min_tokens_freed");
        expect(host.live("s").job?.status).toBe("ready");
      } else {
        expect(passes(host)[0]).toMatchObject({ job_id: "j1", summarizer: "llm" });
        const { gate: figures } = passes(host)[0] as { gate: { tokens_freed: number } | null };
        const gone = host.published("block.evicted").filter(({ pass_id }) => pass_id === "p1");
        const freed = gone.reduce((sum, { tokens_freed }) => sum + tokens_freed, 0);
        expect(figures?.tokens_freed).toBe(freed);
      }
    }
  });

  it("of which an input is pinned is given up at the next turn: nothing waits for it", async () => {
    const summaries = new HeldSummaries();
    const host = await opened(summaries);
    let number = await untilBegun(host, summaries);
    while ((await step(host, number++)).reading.zone !== "orange");
    await host.call("context.pin", { ...session, block_ids: [host.live("s").job?.blockIds[0]] });
    await host.call("on_turn_start", session);
    expect(host.published("summary.dropped")).toEqual([{ job_id: "j1", reason: "inputs_changed" }]);
    expect(host.published("compaction.started").at(-1)?.job_id).toBe("j2");
    // The first one's end is not the second one's.
    await summaries.begun[0]?.deliver({ kind: "failed", reason: "deadline" });
    expect(host.live("s").job).toMatchObject({ id: "j2", status: "running" });
  });
});
