import { describe, expect, it } from "vitest";
import { MESSAGE_FORMATS } from "../../src/model/message.ts";
import { refused, TestManager } from "../support/manager.ts";
import { own, WINDOW_BY_WINDOW, workedSession, workStep } from "../support/windowed-session.ts";
import { prose, wire } from "../support/wire-messages.ts";

const SMALL = { max_context_tokens: 4000, can_recall: true } as const;

/** A session from which much has left. */
async function evicted(): Promise<TestManager> {
  const host = await workedSession({ steps: 12, open: SMALL });
  expect(host.published("block.evicted").length).toBeGreaterThan(3);
  return host;
}

describe("content.get", () => {
  it("shows the original of what has left, and nothing in its place", async () => {
    const host = await workedSession({ open: { ...SMALL, settings: WINDOW_BY_WINDOW } });
    for (let step = 0; step < 12; step++) await workStep(host, step, 400);
    const gone = host
      .published("block.evicted")
      .find(({ replacement_hash, block_type }) => replacement_hash === null && block_type === "tool_result");
    const shown = await host.call("content.get", { ...own, block_id: gone?.block_id });
    expect(shown).toMatchObject({
      handle: gone?.handle,
      type: "tool_result",
      component: "tool_results",
      tool_name: "bash",
      in_context: false,
      state: "evicted",
      original_tokens: gone?.tokens_before,
      current: null,
      current_tokens: 0,
    });
    expect(shown.title).toMatch(/^bash ls \d+$/);
    expect(shown.original).toContain(prose(40, shown.title.replace("bash ls", "step")).slice(0, 40));
  });

  it("shows what stands in the place of what was shortened", async () => {
    const host = await workedSession({ open: SMALL });
    await workStep(host, 0, 6000);
    const { block_id, handle, tokens_after } = host.published("block.truncated")[0] ?? {};
    const shown = await host.call("content.get", { ...own, handle });
    expect(shown).toMatchObject({ block_id, in_context: true, state: "truncated", current_tokens: tokens_after });
    expect(shown.original).toContain(prose(6000, "step 0"));
    expect(shown.current?.length).toBeLessThan(shown.original.length);
    expect(shown.current_tokens).toBeLessThan(shown.original_tokens);
  });

  it("shows a block that is as it came", async () => {
    const host = await workedSession({ steps: 1 });
    const { blocks = [] } = await host.call("context.get", own);
    for (const { block_id, tokens } of blocks) {
      const shown = await host.call("content.get", { ...own, block_id });
      expect(shown).toMatchObject({
        in_context: true,
        state: "whole",
        current: shown.original,
        current_tokens: tokens,
      });
      expect(shown.original_tokens).toBe(tokens);
    }
  });

  it("tells of no need and leaves no trace, where a recall does both", async () => {
    const host = await evicted();
    const { block_id } = host.published("block.evicted").at(-1) ?? {};
    const { position, revision } = await host.session("s");
    await host.call("content.get", { ...own, block_id });
    const after = await host.session("s");
    expect(after).toMatchObject({ position, revision });
    expect(after.regret.regrets.size).toBe(0);
    await host.call("content.recall", { ...own, block_id });
    expect((await host.session("s")).regret.regrets.size).toBe(1);
  });

  it("says which block it does not know, and wants one name of it", async () => {
    const host = await workedSession();
    await refused(host.call("content.get", { ...own, block_id: "b99" }), "content_not_found");
    await refused(host.call("content.get", { ...own, handle: "h-0" }), "content_not_found");
    await refused(host.call("content.get", own), "invalid_params");
    await refused(host.call("content.get", { ...own, block_id: "b1", handle: "h-0" }), "invalid_params");
  });

  it("shows what a child session answered", async () => {
    const host = await workedSession({ steps: 1 });
    await host.call("delegation.open", { ...own, title: "look", goal: "Look." });
    const { handle } = await host.call("delegation.close", { ...own, delegation_id: "d1", result: "It is there." });
    const shown = await host.call("content.get", { ...own, handle });
    expect(shown).toMatchObject({ component: null, state: "delegated", original: "It is there.", current: null });
  });
});

for (const format of MESSAGE_FORMATS) {
  describe(`the scores of an ${format} context`, () => {
    it("tell each block's standing: signals that sum to the score, protection, rank, what goes next", async () => {
      const host = new TestManager();
      await host.call("session.open", {
        ...own,
        model: "gpt-4o",
        message_format: format,
        max_context_tokens: 9000,
        tools: [wire[format].tool("bash")],
      });
      await host.call("on_turn_start", { ...own, messages: [wire[format].user("Mend it.")] });
      for (let step = 0; step < 30; step++) {
        const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
        await host.call("on_turn_end", { ...own, message: wire[format].answer("I look.", [call]) });
        const content = prose(step < 8 ? 400 : 3000, `step ${step}`);
        await host.call("on_tool_result", { ...own, tool_call_id: call.id, tool_name: "bash", content });
        if ((await host.call("session.get", own)).next !== null) break;
        await host.call("on_turn_start", own);
      }
      const { blocks = [] } = await host.call("context.get", { ...own, include: ["blocks", "scores"] });
      const { next, turn } = await host.call("session.get", own);
      expect(next).toMatchObject({ turn: (turn as number) + 1, blocks: expect.any(Number) });
      const planned = (next as { block_ids: string[] }).block_ids;
      expect(
        blocks
          .filter(({ goes_next }) => goes_next)
          .map(({ block_id }) => block_id)
          .sort(),
      ).toEqual(planned.sort());
      expect(planned.length).toBeGreaterThan(0);
      for (const block of blocks) {
        if (block.score === null) expect(block.protected_by).toBe("protected.tool_definition");
        else expect(block.signals?.reduce((sum, { part }) => sum + part, 0)).toBeCloseTo(block.score as number);
        for (const { value, weight, part } of block.signals ?? []) {
          if (weight !== null) expect((value as number) * weight).toBeCloseTo(part);
        }
        if (block.protected_by !== null) expect(block).toMatchObject({ rank: null, goes_next: false });
        expect(block.title).not.toBe("");
      }
      const ranked = blocks.flatMap(({ rank }) => (rank === null || rank === undefined ? [] : [rank]));
      expect(ranked.sort((a, b) => a - b)).toEqual(ranked.map((_, at) => at + 1));
      expect(blocks.find(({ type }) => type === "tool_result")?.title).toBe("bash ls 0");
      const lowest = Math.min(...blocks.filter(({ rank }) => rank !== null).map(({ score }) => score as number));
      expect(blocks.find(({ rank }) => rank === 1)?.score).toBeCloseTo(lowest, 1);
    });
  });
}

it("context.get tells no scores where they were not asked for", async () => {
  const host = await workedSession({ steps: 2 });
  const { blocks = [] } = await host.call("context.get", own);
  expect(Object.keys(blocks[0] ?? {})).not.toContain("score");
  const scored = await host.call("context.get", { ...own, include: ["scores"] });
  expect(scored.blocks?.map(({ block_id }) => block_id)).toEqual(blocks.map(({ block_id }) => block_id));
  expect(Object.keys(scored.blocks?.[0] ?? {})).toContain("score");
});
