import { describe, expect, it } from "vitest";
import { refused, TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

async function worked(): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", {
    ...session,
    model: "gpt-4o",
    max_context_tokens: 3_000,
    system: "Be careful.",
    settings: { eviction: { policy: "hybrid", keep_recent_units: 1 } },
  });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend the parser.")] });
  for (let step = 0; step < 16; step++) {
    const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("I look.", [call]) });
    const content = prose(200, `step ${step}`);
    await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content });
    await host.call("on_turn_start", session);
  }
  return host;
}

describe("why a block is gone", () => {
  it("is told by rule, policy, score and its parts, pass, turn and tokens", async () => {
    const host = await worked();
    const [evicted] = host.published("block.evicted");
    const reply = await host.call("context.explain", { ...session, block_id: evicted?.block_id });
    expect(reply).toMatchObject({
      block_id: evicted?.block_id,
      in_context: evicted?.replacement_hash !== null,
      edit: {
        method: evicted?.method,
        policy: "hybrid",
        rule: evicted?.rule,
        score: evicted?.score,
        score_parts: evicted?.score_parts,
        pass_id: evicted?.pass_id,
        turn: evicted?.turn,
        tokens_before: evicted?.tokens_before,
        tokens_after: evicted?.tokens_after,
      },
    });
    expect(Object.keys(reply.edit?.score_parts ?? {}).length).toBeGreaterThan(3);
    const sum = Object.values(reply.edit?.score_parts ?? {}).reduce((total, part) => total + part, 0);
    expect(sum, "the parts add up to the score").toBeCloseTo(reply.edit?.score as number, 6);
    expect(reply.sentence).toContain(`rule ${evicted?.rule}`);
  });

  it("can be asked by the handle that the agent has", async () => {
    const host = await worked();
    const [evicted] = host.published("block.evicted");
    const reply = await host.call("context.explain", { ...session, handle: evicted?.handle });
    expect(reply.handle).toBe(evicted?.handle);
    expect(reply.edit?.method).toBe(evicted?.method);
  });

  it("is still known after a restart", async () => {
    const host = await worked();
    const [evicted] = host.published("block.evicted");
    const before = await host.call("context.explain", { ...session, block_id: evicted?.block_id });
    const after = await host.restarted();
    expect(await after.call("context.explain", { ...session, block_id: evicted?.block_id })).toEqual(before);
    await after.manager.stop();
  });
});

describe("why a block is still there", () => {
  it("is the rule that protects it", async () => {
    const host = await worked();
    const { blocks = [] } = await host.call("context.get", session);
    const ruleOf = async (id: string | undefined) =>
      (await host.call("context.explain", { ...session, block_id: id })).standing?.protected_by;
    expect(await ruleOf(blocks.find((block) => block.type === "system_prompt")?.block_id)).toBe(
      "protected.system_prompt",
    );
    expect(await ruleOf(blocks.find((block) => block.type === "user_message")?.block_id)).toBe("protected.task");
    expect(await ruleOf(blocks.at(-1)?.block_id)).toBe("protected.unanswered_result");
  });

  it("is its score where nothing protects it", async () => {
    const host = await worked();
    const { blocks = [] } = await host.call("context.get", session);
    for (const block of blocks) {
      const reply = await host.call("context.explain", { ...session, block_id: block.block_id });
      expect(reply.in_context).toBe(true);
      if (reply.standing?.protected_by !== null) continue;
      expect(reply.standing.score).toBeGreaterThanOrEqual(0);
      expect(reply.standing.score).toBeLessThanOrEqual(1);
      expect(reply.sentence).not.toBe("");
    }
  });

  it("is no question about a block that never was", async () => {
    const host = await worked();
    await refused(host.call("context.explain", { ...session, block_id: "b9999" }), "content_not_found");
    await refused(host.call("context.explain", session), "invalid_params");
  });
});
