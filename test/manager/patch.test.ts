import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS } from "../../src/model/message.ts";
import { type AgentRun, anyRun } from "../support/agent-run.ts";
import { applyPatch, type HandedContext, type PatchOperation } from "../support/handed-context.ts";
import { TestManager } from "../support/manager.ts";
import { SimulatedAgent } from "../support/simulated-agent.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

/** Turns of a run that ask for a patch, from the revision that the client has. */
function patching(run: AgentRun): AgentRun {
  const setup = { ...run.setup, telling: run.setup.telling === "managed" ? ("own" as const) : run.setup.telling };
  const steps = run.steps.map((step) =>
    step.kind === "turn"
      ? { ...step, reply: "patch" as const, instruct: step.instruct && setup.format === "openai" }
      : step,
  );
  return { setup, steps };
}

describe("a patch", () => {
  for (const format of MESSAGE_FORMATS) {
    it(`makes the full list of the one before, whatever ${format} agents do`, async () => {
      let patches = 0;
      await fc.assert(
        fc.asyncProperty(anyRun(40, [format]).map(patching), async (run) => {
          const host = new TestManager({ checkReplies: false, snapshotEvery: 7 });
          const agent: SimulatedAgent = new SimulatedAgent(host, run.setup, {
            async context(handed, reply) {
              if (reply && "patch" in reply) patches++;
              const full = await agent.context();
              expect({ ids: handed.ids, messages: handed.messages }).toEqual({
                ids: full.ids,
                messages: full.messages,
              });
            },
          });
          await agent.open();
          for (const step of run.steps) await agent.take(step);
          await agent.host.manager.stop();
        }),
        { numRuns: 60 },
      );
      expect(patches, "patches were handed out").toBeGreaterThan(100);
    });
  }

  it("makes the current list of any earlier one", async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(15), async (run) => {
        const host = new TestManager({ checkReplies: false });
        const lists = new Map<number, HandedContext>();
        const agent: SimulatedAgent = new SimulatedAgent(
          host,
          { ...run.setup, telling: "messages" },
          { context: (context) => void lists.set(agent.revision, context) },
        );
        await agent.open();
        for (const step of run.steps) if (step.kind !== "turn" || !step.instruct) await agent.take(step);
        if (agent.task === null) return;
        for (const [base_revision, base] of lists) {
          const reply = await agent.host
            .call("on_turn_start", { session_id: agent.id, reply: "patch", base_revision })
            .catch(() => null);
          if (!reply?.patch) continue;
          const full = await agent.context();
          const patched = applyPatch(base, reply.patch as unknown as PatchOperation[]);
          expect(patched.messages, `from revision ${base_revision}`).toEqual(full.messages);
        }
        await agent.host.manager.stop();
      }),
      { numRuns: 60 },
    );
  });

  it("names only what has changed", async () => {
    const host = new TestManager();
    await host.call("session.open", {
      ...session,
      model: "gpt-4o",
      message_format: "anthropic",
      system: "Be careful.",
    });
    const { revision } = await host.call("on_turn_start", { ...session, messages: [wire.anthropic.user("Mend it.")] });
    await host.call("on_turn_end", { ...session, message: wire.anthropic.answer("Mended.") });
    const reply = await host.call("on_turn_start", {
      ...session,
      messages: [wire.anthropic.user("Thanks.")],
      reply: "patch",
      base_revision: revision,
    });
    expect(reply.messages).toBeUndefined();
    expect(reply.patch).toMatchObject([
      { op: "insert", message_id: "m3", after: "m2" },
      { op: "insert", message_id: "m4", after: "m3" },
    ]);
  });

  it("puts the first message first, where the system prompt is beside the messages", async () => {
    const host = new TestManager();
    const { revision } = await host.call("session.open", {
      ...session,
      message_format: "anthropic",
      system: "Be careful.",
    });
    const reply = await host.call("on_turn_start", {
      ...session,
      messages: [wire.anthropic.user("Mend it.")],
      reply: "patch",
      base_revision: revision,
    });
    expect(reply.patch).toMatchObject([{ op: "insert", message_id: "m2", after: null }]);
  });

  it("gives way to the full list where the base is not known", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, system: "Be careful." });
    const start = { ...session, messages: [wire.openai.user("Mend it.")], reply: "patch", base_revision: 99 };
    const reply = await host.call("on_turn_start", start);
    expect(reply.patch).toBeUndefined();
    expect(reply.messages).toHaveLength(2);
  });

  it("gives way to the full list where messages are rendered by their neighbours", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, message_format: "anthropic" });
    const marked = (text: string): JsonObject => ({
      role: "user",
      content: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
    });
    let reply = await host.call("on_turn_start", { ...session, messages: [marked("one")] });
    for (const text of ["two", "three", "four", "five"]) {
      await host.call("on_turn_end", { ...session, message: wire.anthropic.answer("Yes.") });
      const base_revision = reply.revision;
      reply = await host.call("on_turn_start", { ...session, messages: [marked(text)], reply: "patch", base_revision });
      expect(reply.patch).toBeUndefined();
    }
    expect(JSON.stringify(reply.messages).split("cache_control")).toHaveLength(5);
  });

  it("tells the edits of a pass", async () => {
    const host = new TestManager();
    await host.call("session.open", {
      ...session,
      model: "gpt-4o",
      max_context_tokens: 4_000,
      settings: { eviction: { policy: "hybrid", keep_recent_units: 1 } },
    });
    let { revision } = await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend it.")] });
    let held = await host.call("context.get", { ...session, include: ["messages"] });
    const kinds = new Set<string>();
    for (let step = 0; step < 14; step++) {
      const call = { id: `call_${step}`, name: "read_file", input: { path: `${step}.ts` } };
      await host.call("on_turn_end", { ...session, message: wire.openai.answer("", [call]) });
      await host.call("on_tool_result", {
        ...session,
        tool_call_id: call.id,
        tool_name: "read_file",
        content: prose(300, `step ${step}`),
      });
      const reply = await host.call("on_turn_start", { ...session, reply: "patch", base_revision: revision });
      for (const operation of reply.patch ?? []) kinds.add(operation["op"] as string);
      const base = { ids: held.message_ids ?? [], messages: held.messages as JsonObject[] };
      held = await host.call("context.get", { ...session, include: ["messages"] });
      expect(applyPatch(base, reply.patch as unknown as PatchOperation[]).messages).toEqual(held.messages);
      revision = reply.revision;
    }
    expect([...kinds].sort()).toEqual(["insert", "remove", "replace"]);
  });
});
