import { describe, expect, it } from "vitest";
import { TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

async function started(open: Record<string, unknown>): Promise<{ host: TestManager; tokens: number }> {
  const host = new TestManager();
  await host.call("session.open", { ...session, max_context_tokens: 100_000, ...open });
  const format = (open["message_format"] ?? "openai") as "openai" | "anthropic";
  const reply = await host.call("on_turn_start", {
    ...session,
    messages: [wire[format].user(prose(1_000, "task"))],
  });
  return { host, tokens: reply.reading.tokens };
}

describe("reported usage", () => {
  it("anchors the count: the prompt as it was sent and what is kept of the answer", async () => {
    const { host } = await started({ model: "gpt-4o" });
    const { reading } = await host.call("on_turn_end", {
      ...session,
      message: wire.openai.answer("Done."),
      usage: { input_tokens: 1_500, output_tokens: 40, reasoning_tokens: 30 },
    });
    expect(reading).toMatchObject({ tokens: 1_510, source: "anchored" });
  });

  it("counts what Anthropic tells beside the input tokens", async () => {
    const { host } = await started({ model: "claude-sonnet-4-5", message_format: "anthropic" });
    const { reading } = await host.call("on_turn_end", {
      ...session,
      message: wire.anthropic.answer("Done."),
      usage: { input_tokens: 100, output_tokens: 40, cache_read_input_tokens: 1_200, cache_creation_input_tokens: 300 },
    });
    expect(reading).toMatchObject({ tokens: 1_640, source: "anchored" });
  });

  it("is the truth of its moment: what comes after is added to it", async () => {
    const { host } = await started({ model: "gpt-4o" });
    const usage = { input_tokens: 5_000, output_tokens: 10 };
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("Done."), usage });
    const before = (await host.session("s")).rawTokens;
    const { reading } = await host.call("context.append", { ...session, text: prose(100, "note") });
    const added = (await host.session("s")).rawTokens - before;
    const factor = 1 + 0.2 * (5_000 / 1_048 - 1);
    expect(reading.tokens).toBeGreaterThan(5_010 + added);
    expect(reading.tokens).toBeLessThan(5_010 + added * (factor + 0.1));
  });

  it("without the output's size leaves the answer to our own count", async () => {
    const { host } = await started({ model: "gpt-4o" });
    const { reading } = await host.call("on_turn_end", {
      ...session,
      message: wire.openai.answer("Done."),
      usage: { input_tokens: 1_500 },
    });
    expect(reading.tokens).toBeGreaterThan(1_500);
    expect(reading.tokens).toBeLessThan(1_520);
  });

  it("is anchored once: an eviction later takes from it", async () => {
    const { host } = await started({ model: "gpt-4o", max_context_tokens: 12_000 });
    for (let step = 0; step < 6; step++) {
      const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
      const usage = { input_tokens: 2_000 + 1_500 * step, output_tokens: 20 };
      await host.call("on_turn_end", { ...session, message: wire.openai.answer("", [call]), usage });
      const content = prose(1_000, `step ${step}`);
      await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content });
      await host.call("on_turn_start", session);
    }
    const [pass] = host.published("history.compacted");
    expect(pass?.tokens_after).toBeLessThan(pass?.tokens_before as number);
    const last = host.published("pressure.measured").at(-1);
    expect(last?.source).toBe("anchored");
    expect(last?.tokens).toBeLessThan(12_000);
  });
});

describe("the calibration", () => {
  it("learns how the provider counts, for the model's next sessions", async () => {
    const { host, tokens } = await started({ model: "claude-sonnet-4-5", message_format: "anthropic" });
    // The provider counts half as much again as we did.
    const estimated = (await host.session("s")).rawTokens;
    await host.call("on_turn_end", {
      ...session,
      message: wire.anthropic.answer("Done."),
      usage: { input_tokens: Math.round(1.5 * estimated), output_tokens: 5 },
    });
    const other = { session_id: "other", model: "claude-sonnet-4-5", message_format: "anthropic" };
    await host.call("session.open", { ...other, max_context_tokens: 100_000 });
    const same = await host.call("on_turn_start", {
      session_id: "other",
      messages: [wire.anthropic.user(prose(1_000, "task"))],
    });
    expect(same.reading.tokens / tokens).toBeCloseTo(1.1, 2);
    const third = { session_id: "third", model: "gpt-4o", max_context_tokens: 100_000 };
    await host.call("session.open", third);
    const untouched = await host.call("on_turn_start", {
      session_id: "third",
      messages: [wire.openai.user(prose(1_000, "task"))],
    });
    expect(untouched.reading.tokens, "another model's factor is its own").toBeLessThan(1.1 * tokens);
  });

  it("has nothing to learn from a count that was right, the prompt's own overhead included", async () => {
    const tools = ["read_file", "bash"].map((name) => wire.anthropic.tool(name));
    const { host, tokens } = await started({ model: "claude-sonnet-4-5", message_format: "anthropic", tools });
    const [ended] = await (async () => {
      // Without the margin that an unconfirmed count carries.
      const usage = { input_tokens: Math.round(tokens / 1.05), output_tokens: 5 };
      await host.call("on_turn_end", { ...session, message: wire.anthropic.answer("Done."), usage });
      return host.published("turn.ended");
    })();
    expect((ended?.prompt_tokens as number) / (ended?.estimated_tokens as number)).toBeCloseTo(1, 2);
  });
});
