import { describe, expect, it } from "vitest";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { refused, TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

async function worked(steps: number): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 32_000, system: "Be careful." });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend the parser.")] });
  for (let step = 0; step < steps; step++) {
    const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("I look.", [call]) });
    const content = prose(400, `step ${step}`);
    await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content });
    await host.call("on_turn_start", session);
  }
  return host;
}

describe("a context that the provider refused", () => {
  it("is made smaller twice a turn, then given up with the floor explained", async () => {
    const host = await worked(12);
    const before = (await host.call("context.get", session)).reading?.tokens as number;
    const first = await host.call("on_overflow", { ...session, provider_error: { message: "too long" } });
    expect(first).toMatchObject({ action: "retry", attempt: 1 });
    expect(first.reading.tokens).toBeLessThanOrEqual(0.7 * before);
    const second = await host.call("on_overflow", session);
    expect(second).toMatchObject({ action: "retry", attempt: 2 });
    expect(second.reading.tokens).toBeLessThanOrEqual(0.4 * first.reading.tokens + 500);
    const third = await host.call("on_overflow", session);
    expect(third).toMatchObject({ action: "give_up", attempt: 3 });
    expect(host.published("overflow.given_up")).toHaveLength(1);
    expect(third.messages).toBeUndefined();
    const floor = third.floor as NonNullable<typeof third.floor>;
    expect(floor.floor_tokens).toBe(
      floor.system_tokens + floor.tools_tokens + floor.protected_tokens + floor.reserve_tokens,
    );
    expect(floor.protected_tokens).toBeGreaterThan(0);
  });

  it("is valid after each retry, and holds the system prompt, the task and the current step", async () => {
    const host = await worked(12);
    for (let attempt = 0; attempt < 2; attempt++) {
      const { messages } = await host.call("on_overflow", session);
      expect(messageFormats.openai.check({ messages: messages as JsonObject[] })).toEqual([]);
      expect(messages?.slice(0, 2)).toEqual([
        { role: "system", content: "Be careful." },
        wire.openai.user("Mend the parser."),
      ]);
      expect(JSON.stringify(messages)).toContain('"call_11"');
    }
  });

  it("has its two retries again in the next turn", async () => {
    const host = await worked(12);
    for (let attempt = 0; attempt < 3; attempt++) await host.call("on_overflow", session);
    await host.call("on_turn_end", { ...session, message: wire.openai.answer(prose(600, "answer")) });
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Go on.")] });
    expect(await host.call("on_overflow", session)).toMatchObject({ attempt: 1 });
  });

  it("is given up at once when nothing of it can go", async () => {
    const host = await worked(0);
    expect(await host.call("on_overflow", session)).toMatchObject({ action: "give_up", attempt: 1 });
  });

  it("is no question before a turn was started", async () => {
    const host = new TestManager();
    await host.call("session.open", session);
    await refused(host.call("on_overflow", session), "invalid_params");
  });

  it("is told with each attempt and what it brought", async () => {
    const host = await worked(12);
    for (let attempt = 0; attempt < 3; attempt++) await host.call("on_overflow", session);
    expect(host.published("overflow.reported").map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    const recovered = host.published("overflow.recovered");
    expect(recovered.map(({ attempt }) => attempt)).toEqual([1, 2]);
    for (const { tokens_before, tokens_after } of recovered) expect(tokens_after).toBeLessThan(tokens_before);
    expect(host.published("history.compacted").every(({ cause }) => cause === "overflow")).toBe(true);
  });
});

describe("a floor that reaches red", () => {
  it("is told once, and explained with each turn", async () => {
    const host = new TestManager();
    await host.call("session.open", {
      ...session,
      model: "gpt-4o",
      max_context_tokens: 1_000,
      system: prose(500, "rule"),
    });
    const first = await host.call("on_turn_start", { ...session, messages: [wire.openai.user(prose(400, "task"))] });
    expect(first.advice).toMatchObject([{ kind: "floor" }]);
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("Hm.") });
    const second = await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Well?")] });
    expect(second.advice).toMatchObject([{ kind: "floor" }]);
    const told = host.published("floor.detected");
    expect(told).toHaveLength(1);
    expect(told[0]?.system_tokens).toBeGreaterThan(400);
    expect(told[0]?.floor_tokens).toBeGreaterThan(900);
  });
});
