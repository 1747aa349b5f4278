import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/manager/analysis.ts";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { textOf } from "../../src/model/part.ts";
import { TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const { user, answer, results } = wire.anthropic;
const TASK = user("Mend the parser.");

/** Some steps of work, each with a result; the last of them is answered. */
async function worked(steps: number, options: { format?: "anthropic" | "openai"; window?: number } = {}) {
  const { format = "anthropic", window = 32_000 } = options;
  const host = new TestManager();
  const model = format === "anthropic" ? "claude-sonnet-4-5" : "gpt-4o";
  await host.call("session.open", { ...session, model, message_format: format, max_context_tokens: window });
  await host.call("on_turn_start", { ...session, messages: [TASK] });
  for (let step = 1; step <= steps; step++) await work(host, format, step);
  return host;
}

async function work(host: TestManager, format: "anthropic" | "openai", step: number, tokens = 400) {
  const call = { id: `call_${step}`, name: "bash", input: { command: `cat file_${step}.ts` } };
  await host.call("on_turn_end", { ...session, message: wire[format].answer(`Step ${step}.`, [call]) });
  const content = prose(tokens, `step ${step}`);
  await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content });
  return host.call("on_turn_start", session);
}

const SUMMARY = "We mend the parser; file_1.ts and file_2.ts are read.";

function compacted(text = "I go on."): JsonObject {
  const block = { type: "compaction", content: SUMMARY, encrypted_content: null };
  return { role: "assistant", content: [block, { type: "text", text }] };
}

describe("a compaction of the provider's", () => {
  it("takes what stands before it out of the context, the task and pins excepted, and no pass of ours is made", async () => {
    const host = await worked(6);
    await host.call("context.pin", { ...session, block_ids: ["b6"] });
    const before = host.live("s").rawTokens;
    await host.call("on_turn_end", { ...session, message: compacted() });
    const { messages } = await host.call("on_turn_start", { ...session, messages: [user("And now?")] });
    expect(messages?.[0]).toEqual(TASK);
    expect(messages?.slice(-2)).toEqual([compacted(), user("And now?")]);
    // The pinned call keeps its step.
    expect(JSON.stringify(messages)).toContain("call_2");
    expect(JSON.stringify(messages)).not.toContain("call_3");
    expect(messages).toHaveLength(5);
    expect(messageFormats.anthropic.check({ messages: messages as JsonObject[] })).toEqual([]);
    expect(host.published("history.compacted")).toEqual([]);
    const [edited] = host.published("provider.edited");
    expect(edited).toMatchObject({ kind: "compaction", cleared_tool_uses: 5, turn: 7 });
    expect(edited?.cleared_input_tokens).toBeGreaterThan(0.6 * before);
    expect(host.live("s").tokensFreedTotal).toBe(0);
  });

  it("is a summary that no pass takes, as long as it is the newest", async () => {
    const host = await worked(2, { window: 8_000 });
    await host.call("on_turn_end", { ...session, message: compacted() });
    await host.call("on_turn_start", { ...session, messages: [user("Go on.")] });
    for (let step = 3; step <= 20; step++) await work(host, "anthropic", step, 600);
    expect(host.published("history.compacted").length).toBeGreaterThan(0);
    const summary = [...host.live("s").blocks.values()].find(
      ({ type, part }) => type === "summary" && part.kind === "other",
    );
    expect(await host.call("context.explain", { ...session, block_id: summary?.id })).toMatchObject({
      type: "summary",
      state: "whole",
      standing: { protected_by: "protected.provider_summary" },
    });
  });

  it("takes an older one of its kind with it", async () => {
    const host = await worked(2);
    for (const text of ["First.", "Second."]) {
      await host.call("on_turn_end", { ...session, message: compacted(text) });
      await host.call("on_turn_start", { ...session, messages: [user("Go on.")] });
      await host.call("on_turn_end", { ...session, message: answer("Yes.") });
      await host.call("on_turn_start", { ...session, messages: [user("And?")] });
    }
    const { messages } = await host.call("on_turn_start", session);
    expect(JSON.stringify(messages)).toContain("Second.");
    expect(JSON.stringify(messages)).not.toContain("First.");
  });

  it("leaves everything where the provider failed to write it", async () => {
    const host = await worked(3);
    const failed = { type: "compaction", content: null };
    const message = { role: "assistant", content: [failed, { type: "text", text: "Hm." }] };
    await host.call("on_turn_end", { ...session, message });
    const { messages } = await host.call("on_turn_start", { ...session, messages: [user("Go on.")] });
    expect(messages).toHaveLength(9);
    expect(host.published("provider.edited")).toEqual([]);
  });

  it("is no divergence of the agent's whole list, which goes on as it was", async () => {
    const host = await worked(0);
    const history: JsonObject[] = [TASK];
    for (let step = 1; step <= 4; step++) {
      const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
      history.push(answer("I look.", [call]), ...results([{ id: call.id, content: prose(200, `${step}`) }]));
    }
    await host.call("on_turn_start", { ...session, history });
    await host.call("on_turn_end", { ...session, message: compacted() });
    history.push(compacted(), user("And now?"));
    const { messages } = await host.call("on_turn_start", { ...session, history });
    expect(messages).toEqual([TASK, compacted(), user("And now?")]);
    // A list that diverges later still shows the old messages: they do not come back.
    const changed = [...history.slice(0, -1), user("Or rather this.")];
    const again = await host.call("on_turn_start", { ...session, history: changed });
    expect(again.messages).toEqual([TASK, compacted(), user("Or rather this.")]);
    expect(host.published("provider.edited")).toHaveLength(1);
  });

  it("anchors the count on the prompt behind it, and teaches the calibration nothing", async () => {
    const host = await worked(6);
    const usage = { input_tokens: 180, output_tokens: 30 };
    const { reading } = await host.call("on_turn_end", { ...session, message: compacted(), usage });
    expect(reading).toMatchObject({ tokens: 210, source: "anchored" });
    expect(host.published("turn.ended").at(-1)).toMatchObject({ input_tokens: 180, prompt_tokens: null });
    expect((await host.call("session.get", session)).calibration).toBe(1);
  });

  it("that the model stopped for reports no prompt", async () => {
    const host = await worked(6);
    const message = { role: "assistant", content: [{ type: "compaction", content: SUMMARY }] };
    const usage = { input_tokens: 0, output_tokens: 0 };
    const { reading } = await host.call("on_turn_end", { ...session, message, usage, stop_reason: "compaction" });
    expect(reading.tokens).toBeGreaterThan(20);
  });

  it("of OpenAI's is kept, and what stands before it is left to the policy", async () => {
    const host = await worked(3, { format: "openai" });
    const item = { type: "compaction", encrypted_content: "gAAAA" };
    const message = { role: "assistant", content: [item, { type: "text", text: "Go." }] };
    await host.call("on_turn_end", { ...session, message });
    const { messages } = await host.call("on_turn_start", { ...session, messages: [user("And?")] });
    expect(messages).toHaveLength(9);
    const summary = [...host.live("s").blocks.values()].find(({ type }) => type === "summary");
    const explained = await host.call("context.explain", { ...session, block_id: summary?.id });
    expect(explained.standing?.protected_by).toBe("protected.provider_summary");
  });

  it("hides nothing of ours for long: the next pass puts what it keeps behind it", async () => {
    const host = await worked(0, { window: 8_000 });
    await host.call("note.write", { ...session, text: "The lexer is not to be touched.", category: "constraints" });
    const passes = () => host.published("history.compacted").length;
    let step = 1;
    while (passes() < 2) await work(host, "anthropic", step++);
    await host.call("on_turn_end", { ...session, message: compacted() });
    await host.call("on_turn_start", { ...session, messages: [user("And now?")] });
    const before = passes();
    while (passes() === before) await work(host, "anthropic", step++);
    const { messages: held, ledger, summary, standing } = host.live("s");
    const own = [ledger.stable, ledger.fresh, summary?.messageId, standing].filter((id) => typeof id === "string");
    expect(own.length).toBeGreaterThan(2);
    const hiding = held.findIndex(({ blocks }) =>
      blocks.some(({ part }) => textOf(part).includes("file_1.ts and file_2")),
    );
    expect(hiding).toBeGreaterThan(0);
    for (const id of own)
      expect(
        held.findIndex((message) => message.id === id),
        String(id),
      ).toBeGreaterThan(hiding);
  });

  it("is the same after a restart, and what it took out can be recalled", async () => {
    const host = await worked(6);
    const block = [...host.live("s").blocks.values()].find(({ part }) => part.kind === "tool_result");
    await host.call("on_turn_end", { ...session, message: compacted() });
    const restarted = await host.restarted();
    const { messages } = await restarted.call("on_turn_start", { ...session, messages: [user("And now?")] });
    expect(messages).toEqual([TASK, compacted(), user("And now?")]);
    const recalled = await restarted.call("content.recall", { ...session, handle: block?.handle });
    expect(recalled.content).toBe(prose(400, "step 1"));
    expect(await restarted.call("context.explain", { ...session, block_id: block?.id })).toMatchObject({
      edit: { rule: "provider.compacted", policy: null },
    });
  });
});

describe("what a provider reports to have cleared", () => {
  it("is told, and taken off the estimate that its count is held against", async () => {
    const host = await worked(6);
    const estimate = host.live("s").rawTokens;
    const context_management = {
      applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 4, cleared_input_tokens: 1_500 }],
    };
    const usage = { input_tokens: estimate - 1_500, output_tokens: 5 };
    await host.call("on_turn_end", { ...session, message: answer("Yes."), usage, context_management });
    expect(host.published("provider.edited")).toEqual([
      {
        kind: "clear_tool_uses",
        cleared_tool_uses: 4,
        cleared_thinking_turns: 0,
        cleared_input_tokens: 1_500,
        turn: 7,
      },
    ]);
    const ended = host.published("turn.ended").at(-1);
    expect((ended?.estimated_tokens ?? 0) - (ended?.prompt_tokens ?? 0)).toBeLessThan(20);
    expect((await host.call("session.get", session)).calibration).toBeCloseTo(1, 2);
  });

  it("is nothing in most answers", async () => {
    const host = await worked(1);
    const context_management = { applied_edits: [] };
    await host.call("on_turn_end", { ...session, message: answer("Yes."), context_management });
    expect(host.published("provider.edited")).toEqual([]);
  });
});

describe("a result that came cleared", () => {
  it("is nothing to clear, to carry over or to look for again", async () => {
    const host = await worked(1);
    const call = { id: "old", name: "bash", input: { command: "cat secret_parser_file.ts" } };
    await host.call("on_turn_end", { ...session, message: answer("I look.", [call]) });
    const content = `[Old tool result content cleared, ${"it can be read again from the disk ".repeat(6)}]`;
    await host.call("on_tool_result", { ...session, tool_call_id: "old", tool_name: "bash", content });
    const block = [...host.live("s").blocks.values()].at(-1);
    expect(block).toMatchObject({ type: "tool_result", state: "cleared", generation: 0 });
    for (let step = 2; step <= 25; step++) await work(host, "anthropic", step, 900);
    const edits = host.published("block.evicted").filter(({ block_id }) => block_id === block?.id);
    expect(edits).toMatchObject([{ method: "drop" }]);
    const { messages } = await host.call("on_turn_start", session);
    expect(JSON.stringify(messages)).not.toContain("it can be read again");
  });

  it("gives the ledger no line", async () => {
    const host = await worked(2);
    const call = { id: "old", name: "bash", input: { command: "cat old.ts" } };
    await host.call("on_turn_end", { ...session, message: answer("I look.", [call]) });
    const content = "[Old tool result content cleared: src/old_parser.ts]";
    await host.call("on_tool_result", { ...session, tool_call_id: "old", tool_name: "bash", content });
    const read = await host.session("s");
    const analysis = new Analysis(read);
    analysis.settle();
    const held = [...read.blocks.values()].filter(({ part }) => part.kind === "tool_result");
    const lines = held.map(({ id }) => [...analysis.book.linesWith(id)].length);
    expect(lines[0]).toBeGreaterThan(0);
    expect(lines.at(-1)).toBe(0);
  });
});
