import { describe, expect, it } from "vitest";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { textOf } from "../../src/model/part.ts";
import { dropping, evictingManager } from "../support/evicting-manager.ts";
import { applyPatch, type HandedContext, type PatchOperation } from "../support/handed-context.ts";
import { refused, type TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const own = { session_id: "s" } as const;

/** A session of five steps, of which a test lets leave what it wants at the next turn's start. */
async function stepped(format: MessageFormatName, size = 300, model = "gpt-4o") {
  const { host, order } = evictingManager({ snapshotEvery: 3 });
  await host.call("session.open", { ...own, model, message_format: format, max_context_tokens: 16_000 });
  await host.call("on_turn_start", { ...own, messages: [wire[format].user("Mend it.")] });
  const results: string[] = [];
  for (let step = 0; step < 5; step++) {
    const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
    await host.call("on_turn_end", { ...own, message: wire[format].answer("I look.", [call]) });
    const content = `file_${step}.ts\n${prose(size, `step ${step}`)}`;
    results.push(
      (await host.call("on_tool_result", { ...own, tool_call_id: call.id, tool_name: "bash", content })).block_id,
    );
    await host.call("on_turn_start", own);
  }
  return { host, order, results, first: results[0] as string };
}

async function contextOf(host: TestManager): Promise<HandedContext> {
  const reply = await host.call("context.get", { ...own, include: ["messages"] });
  return { ids: reply.message_ids ?? [], messages: reply.messages as JsonObject[] };
}

describe("what bringing back adds", () => {
  /** By a model whose encoding is not known exactly, and by one of which a provider told another count. */
  const models = { estimated: "claude-sonnet-4", anchored: "gpt-4o" };
  for (const [how, model] of Object.entries(models)) {
    for (const inPlace of [true, false]) {
      it(`is told alike before, in the answer and by the reading: ${how}, ${inPlace ? "in place" : "as a message"}`, async () => {
        const { host, order, first } = await stepped("anthropic", 300, model);
        if (how === "anchored") {
          for (let step = 5; step < 9; step++) {
            const { tokens } = (await host.call("on_turn_start", own)).reading;
            const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
            const message = wire.anthropic.answer("I look.", [call]);
            await host.call("on_turn_end", { ...own, message, usage: { input_tokens: Math.round(tokens * 1.3) } });
            const content = prose(200, `step ${step}`);
            await host.call("on_tool_result", { ...own, tool_call_id: call.id, tool_name: "bash", content });
          }
        }
        order.push(...(inPlace ? [{ blockId: first, text: "[cleared]" }] : dropping(host.live("s"), first)));
        await host.call("on_turn_start", own);
        const before = (await host.call("on_turn_start", own)).reading;
        const shown = await host.call("content.get", { ...own, block_id: first });
        expect(shown.restore_tokens).not.toBe(shown.original_tokens - shown.current_tokens);
        const reply = await host.call("context.restore", { ...own, block_id: first });
        expect(reply.in_place).toBe(inPlace);
        expect(reply.tokens_added).toBe(reply.reading.tokens - before.tokens);
        expect(reply.tokens_added).toBe(shown.restore_tokens);
        expect(await host.call("content.get", { ...own, block_id: first })).toMatchObject({ restore_tokens: null });
      });
    }
  }
});

for (const format of MESSAGE_FORMATS) {
  const check = async (host: TestManager) =>
    expect(messageFormats[format].check({ messages: (await contextOf(host)).messages as JsonObject[] })).toEqual([]);

  describe(`context.restore in an ${format} context`, () => {
    it("gives a shortened block its original back in its place, pinned, byte for byte", async () => {
      const { host, order, first } = await stepped(format);
      const before = await contextOf(host);
      const { rawTokens } = host.live("s");
      order.push({ blockId: first, text: "[cleared]" });
      await host.call("on_turn_start", own);
      const reply = await host.call("context.restore", { ...own, block_id: first });
      expect(reply).toMatchObject({ block_id: first, in_place: true });
      expect((await contextOf(host)).messages).toEqual(before.messages);
      const session = await host.session("s");
      expect(session.rawTokens).toBe(rawTokens);
      expect(session.blocks.get(first)).toMatchObject({ state: "whole", pinned: true, generation: 0 });
      expect(session.regret.departures).toEqual([]);
      expect(session.regret.regrets.get(first)).toMatchObject([{ kind: "recall" }]);
      expect(host.published("block.restored")).toMatchObject([{ block_id: first, into_block_id: first }]);
      await check(host);
    });

    it("brings back what left altogether as a message of contextd's own, with a frame", async () => {
      const { host, order, first } = await stepped(format);
      const { original } = await host.call("content.get", { ...own, block_id: first });
      order.push(...dropping(host.live("s"), first));
      await host.call("on_turn_start", own);
      const reply = await host.call("context.restore", { ...own, block_id: first });
      expect(reply.in_place).toBe(false);
      const session = await host.session("s");
      const holder = session.blocks.get(reply.block_id);
      expect(holder).toMatchObject({ type: "memory_injection", pinned: true });
      const text = holder ? textOf(holder.part) : "";
      expect(text).toContain(original);
      expect(text.split("\n")[0]).toMatch(/^<restored [0-9a-f]{6}> A tool result of bash from turn 1 of this session/);
      expect((await contextOf(host)).ids.at(-1)).toBe(holder?.messageId);
      await check(host);
      await refused(host.call("context.restore", { ...own, block_id: first }), "invalid_params");
    });

    it("stands before calls that wait for their results", async () => {
      const { host, order, first } = await stepped(format);
      order.push(...dropping(host.live("s"), first));
      await host.call("on_turn_start", own);
      const calls = ["x", "y"].map((id) => ({ id, name: "bash", input: { command: id } }));
      await host.call("on_turn_end", { ...own, message: wire[format].answer("Both.", calls) });
      await host.call("on_tool_result", { ...own, tool_call_id: "x", tool_name: "bash", content: "one" });
      await host.call("context.restore", { ...own, block_id: first });
      await host.call("on_tool_result", { ...own, tool_call_id: "y", tool_name: "bash", content: "two" });
      await host.call("on_turn_start", own);
      await check(host);
    });

    it("reaches an agent that keeps a mirror, by patches", async () => {
      const { host, order, results } = await stepped(format);
      const [first, second] = results as [string, string];
      order.push({ blockId: first, text: "[cleared]" }, ...dropping(host.live("s"), second));
      const { revision } = await host.call("on_turn_start", own);
      const mirror = await contextOf(host);
      await host.call("context.restore", { ...own, block_id: first });
      await host.call("context.restore", { ...own, block_id: second });
      const { patch } = await host.call("on_turn_start", { ...own, reply: "patch", base_revision: revision });
      const patched = applyPatch(mirror, patch as unknown as PatchOperation[]);
      const now = await contextOf(host);
      expect(patched.messages).toEqual(now.messages);
      expect(patched.ids).toEqual(now.ids);
    });

    it("is the same after a restart", async () => {
      const { host, order, results } = await stepped(format);
      const [first, second] = results as [string, string];
      order.push({ blockId: first, text: "[cleared]" }, ...dropping(host.live("s"), second));
      await host.call("on_turn_start", own);
      await host.call("context.restore", { ...own, block_id: first });
      await host.call("context.restore", { ...own, block_id: second });
      const before = host.live("s");
      const context = await contextOf(host);
      const next = await host.restarted();
      const after = await next.session("s");
      expect(await contextOf(next)).toEqual(context);
      expect(after.rawTokens).toBe(before.rawTokens);
      expect(after.broughtBack).toEqual(before.broughtBack);
      await refused(next.call("context.restore", { ...own, block_id: second }), "invalid_params");
    });

    it("is known again by an agent whose list still shows the shorter form", async () => {
      const { host, order, first } = await stepped(format);
      order.push({ blockId: first, text: "[cleared]" });
      await host.call("on_turn_start", own);
      const list = [...(await contextOf(host)).messages];
      await host.call("context.restore", { ...own, block_id: first });
      const history = [...list, wire[format].user("Go on.")];
      await host.call("on_turn_start", { ...own, history });
      expect(host.live("s").blocks.get(first)).toMatchObject({ state: "whole", pinned: true });
      await check(host);
    });
  });
}

describe("context.restore", () => {
  it("is made once for one idempotency key", async () => {
    const { host, order, first } = await stepped("openai");
    order.push(...dropping(host.live("s"), first));
    await host.call("on_turn_start", own);
    const call = { ...own, block_id: first, idempotency_key: "again" };
    const reply = await host.call("context.restore", call);
    expect(await host.call("context.restore", call)).toEqual(reply);
    expect(host.published("block.restored")).toHaveLength(1);
  });

  it("is told of by context.explain", async () => {
    const { host, order, results } = await stepped("openai");
    const [first, second] = results as [string, string];
    order.push({ blockId: first, text: "[cleared]" }, ...dropping(host.live("s"), second));
    await host.call("on_turn_start", own);
    const sentence = async (block_id: string) => (await host.call("context.explain", { ...own, block_id })).sentence;
    expect(await sentence(first)).not.toContain("brought back");
    for (const block_id of [first, second]) await host.call("context.restore", { ...own, block_id });
    expect(await sentence(first)).toContain("brought back since and is as it came");
    expect(await sentence(second)).toMatch(/brought back since: block b\d+ has it/);
  });

  it("is no growth of the agent's: the velocity stays", async () => {
    const { host, order, first } = await stepped("openai");
    order.push({ blockId: first, text: "[cleared]" });
    await host.call("on_turn_start", own);
    const { velocity_tokens_per_turn } = (await host.call("on_turn_start", own)).reading;
    await host.call("context.restore", { ...own, block_id: first });
    const after = (await host.call("on_turn_start", own)).reading.velocity_tokens_per_turn as number;
    expect(after).toBeLessThanOrEqual(velocity_tokens_per_turn as number);
  });

  it("finds the agent's use of what is back no regret", async () => {
    const { host, order, first } = await stepped("openai");
    order.push({ blockId: first, text: "[cleared]" });
    await host.call("on_turn_start", own);
    await host.call("context.restore", { ...own, block_id: first });
    await host.call("on_turn_end", { ...own, message: wire.openai.answer("I open file_0.ts now.") });
    expect(host.published("regret.detected").map(({ kind }) => kind)).toEqual(["recall"]);
  });

  it("refuses what it does not know, what is whole, and what does not fit, by how many tokens", async () => {
    const { host, order, first, results } = await stepped("openai", 1200);
    await refused(host.call("context.restore", { ...own, block_id: "b99" }), "content_not_found");
    await refused(host.call("context.restore", { ...own, block_id: results[1] }), "invalid_params");
    order.push({ blockId: first, text: "[cleared]" });
    await host.call("on_turn_start", own);
    const usage = { input_tokens: 14_900, output_tokens: 10 };
    await host.call("on_turn_end", { ...own, message: wire.openai.answer("Now."), usage });
    const { position } = await host.session("s");
    const error = await refused(host.call("context.restore", { ...own, block_id: first }), "budget_exceeded");
    expect(error.data["over_tokens"]).toBeGreaterThan(0);
    expect(error.message).toContain(String(error.data["over_tokens"]));
    expect((await host.session("s")).position).toBe(position);
  });
});
