import { describe, expect, it } from "vitest";
import type { Config } from "../../src/config/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { configWith } from "../config/config-with.ts";
import { evictingManager } from "../support/evicting-manager.ts";
import { TestManager } from "../support/manager.ts";
import { ordersJson, serviceLog } from "../support/tool-outputs.ts";
import { wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

async function opened(
  host: TestManager,
  format: MessageFormatName,
  more: JsonObject = {},
  calls: readonly string[] = ["call_1"],
): Promise<void> {
  await host.call("session.open", {
    ...session,
    model: "gpt-4o",
    message_format: format,
    max_context_tokens: 32_768,
    can_recall: true,
    ...more,
  });
  await host.call("on_turn_start", { ...session, messages: [wire[format].user("Find the failed order.")] });
  const made = calls.map((id) => ({ id, name: "get_orders", input: { page: id } }));
  await host.call("on_turn_end", { ...session, message: wire[format].answer("I look.", made) });
}

function answer(host: TestManager, content: unknown, id = "call_1") {
  return host.call("on_tool_result", { ...session, tool_call_id: id, tool_name: "get_orders", content });
}

describe.each(MESSAGE_FORMATS)("a result shortened by its kind on arrival, in %s format", (format) => {
  const settings = { compression: { ingest_max_tokens: 600, ingest_method: "structured" } };

  it("tells what was done, and gives the original back byte for byte", async () => {
    const host = new TestManager();
    await opened(host, format, { settings });
    const reply = await answer(host, ordersJson());
    expect(reply.action).toBe("summarized");
    expect(reply.tokens_after).toBeLessThanOrEqual(600);
    expect(reply.content).toContain("orders[41].status: payment_failed");
    expect(reply.content).toContain(`recall ${reply.handle}`);
    expect(host.published("block.summarized")).toEqual([
      expect.objectContaining({
        pass_id: null,
        method: "ingest",
        rule: "ingest.json",
        block_type: "tool_result",
        tool_name: "get_orders",
        generation: 1,
        tokens_freed: reply.tokens_before - reply.tokens_after,
      }),
    ]);
    const recalled = await host.call("content.recall", { ...session, handle: reply.handle });
    expect(recalled.content).toBe(ordersJson());
  });

  it("keeps head and tail of what is of no kind", async () => {
    const host = new TestManager();
    await opened(host, format, { settings });
    const words = Array.from({ length: 900 }, (_, n) => `The ${n}th of many words, and some more.`).join(" ");
    expect((await answer(host, words)).action).toBe("truncated");
    expect(host.published("block.truncated")[0]).toMatchObject({ rule: "ingest.head_tail" });
  });

  it("is the same after a restart, from the journal and from a snapshot", async () => {
    for (const snapshotEvery of [1, 1_000]) {
      const host = new TestManager({ snapshotEvery });
      await opened(host, format, { settings });
      await answer(host, ordersJson());
      await host.call("on_turn_start", { ...session, messages: [wire[format].user("Go on.")] });
      const before = await host.call("context.get", { ...session, include: ["messages", "blocks"] });
      const again = await host.restarted();
      expect(await again.call("context.get", { ...session, include: ["messages", "blocks"] })).toEqual(before);
      const [block] = again.published("block.summarized");
      expect(block).toBeUndefined();
    }
  });
});

describe.each(MESSAGE_FORMATS)("a result summarised by a pass, in %s format", (format) => {
  async function summarised(text = "orders[41].status: payment_failed") {
    const { host, order } = evictingManager();
    await opened(host, format);
    const { block_id: blockId } = await answer(host, ordersJson());
    order.push({ blockId, text, method: "summarize" });
    const reply = await host.call("on_turn_start", { ...session, messages: [wire[format].user("Go on.")] });
    return { host, order, blockId, reply };
  }

  it("stands as the summary, explained, and recallable", async () => {
    const { host, blockId } = await summarised();
    const live = host.live("s").blocks.get(blockId);
    expect(live).toMatchObject({ state: "summarized", generation: 1 });
    const told = await host.call("context.explain", { ...session, block_id: blockId });
    expect(told).toMatchObject({ state: "summarized", in_context: true, edit: { method: "summarize", policy: null } });
    expect(told.sentence).toContain("(summarize)");
    const recalled = await host.call("content.recall", { ...session, handle: told.handle });
    expect(recalled.content).toBe(ordersJson());
    expect(host.published("regret.detected")).toEqual([
      expect.objectContaining({ kind: "recall", block_id: blockId, policy: "cascade" }),
    ]);
  });

  it("may be summarised again and cleared, and still be recalled as it came", async () => {
    const { host, order, blockId } = await summarised();
    const handle = host.live("s").blocks.get(blockId)?.handle as string;
    await host.call("on_turn_end", { ...session, message: wire[format].answer("One moment.") });
    order.push({ blockId, text: "one failed", method: "summarize" });
    await host.call("on_turn_start", { ...session, messages: [wire[format].user("And now?")] });
    expect(host.live("s").blocks.get(blockId)).toMatchObject({ state: "summarized", generation: 2 });
    expect(host.published("block.summarized").map(({ generation }) => generation)).toEqual([1, 2]);
    await host.call("on_turn_end", { ...session, message: wire[format].answer("One moment more.") });
    order.push({ blockId, text: "[cleared]" });
    await host.call("on_turn_start", { ...session, messages: [wire[format].user("And now?")] });
    expect(host.live("s").blocks.get(blockId)).toMatchObject({ state: "cleared", generation: 3 });
    const restarted = await host.restarted();
    const recalled = await restarted.call("content.recall", { ...session, handle });
    expect(recalled.content).toBe(ordersJson());
  });

  it("reads back from the journal as it stands in memory", async () => {
    const { host, blockId } = await summarised();
    const live = host.live("s");
    const read = await host.session("s");
    expect(read.blocks.get(blockId)).toEqual(live.blocks.get(blockId));
    expect(read.edits).toEqual(live.edits);
    expect(read.rawTokens).toBe(live.rawTokens);
  });
});

describe("the profile local-32k", () => {
  const config: Config = configWith({ profile: "local-32k" });

  it("brings a result of 200,000 characters to 8,000, head and tail, and can give it back", async () => {
    const host = new TestManager({ config });
    await opened(host, "openai", { profile: "local-32k" });
    const source = Array.from(
      { length: 5_000 },
      (_, n) => `${String(n).padStart(5, "0")} a line of forty chars, so`,
    ).join("\n");
    const text = `${source}\n`.repeat(2).slice(0, 200_000);
    const reply = await answer(host, text);
    const shown = reply.content as string;
    expect(reply.action).toBe("truncated");
    expect(shown.length).toBeLessThanOrEqual(8_000);
    expect(shown.length).toBeGreaterThan(7_800);
    expect(shown.slice(0, 3_000)).toBe(text.slice(0, 3_000));
    expect(shown.slice(-3_000)).toBe(text.slice(-3_000));
    expect(shown).toContain(`left out; recall ${reply.handle} …]`);
    expect((await host.call("content.recall", { ...session, handle: reply.handle })).content).toBe(text);
  });

  it("keeps the head alone where a session's limit is too small for a tail", async () => {
    const host = new TestManager({ config });
    await opened(host, "openai", { profile: "local-32k", settings: { compression: { ingest_max_characters: 150 } } });
    const reply = await answer(host, serviceLog());
    const shown = reply.content as string;
    expect(shown.length).toBeLessThanOrEqual(150);
    expect(shown.startsWith("2025-11-21 14:00:00,001 INFO")).toBe(true);
    expect(shown.endsWith("…]")).toBe(true);
  });
});
