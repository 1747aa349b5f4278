import { describe, expect, it } from "vitest";
import { scorers } from "../../src/eviction/index.ts";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const WINDOW = 6_000;

interface Worked {
  readonly host: TestManager;
  /** Contexts that were handed out. */
  readonly contexts: { readonly messages: JsonObject[] }[];
  readonly edits: number;
}

/** An agent that reads file after file, two at a time, until the window would have overflowed several times. */
async function work(format: MessageFormatName, policy: string, settings: JsonObject = {}): Promise<Worked> {
  const host = new TestManager();
  await host.call("session.open", {
    ...session,
    model: "gpt-4o",
    message_format: format,
    max_context_tokens: WINDOW,
    can_recall: true,
    task: { goal: "Mend the parser." },
    settings: { eviction: { policy, ...(settings["eviction"] as JsonObject) } },
  });
  const contexts: { messages: JsonObject[] }[] = [];
  let fresh = [wire[format].user("Mend the parser of this project, please.")];
  let edits = 0;
  for (let step = 0; step < 30; step++) {
    const reply = await host.call("on_turn_start", { ...session, messages: fresh });
    contexts.push({ messages: reply.messages as JsonObject[] });
    edits += reply.applied.length;
    fresh = step % 10 === 9 ? [wire[format].user(`Also look at part ${step}.`)] : [];
    const calls = ["a", "b"].map((side) => ({
      id: `call_${step}_${side}`,
      name: "read_file",
      input: { path: `src/${side}_${step % 7}.ts` },
    }));
    await host.call("on_turn_end", {
      ...session,
      message: wire[format].answer(
        `Step ${step}: I read two files.`,
        calls,
        step % 3 === 0 ? `Thinking of ${step}.` : null,
      ),
    });
    for (const { id, name } of calls) {
      const content = prose(120, `${id} of step ${step}`);
      await host.call("on_tool_result", { ...session, tool_call_id: id, tool_name: name, content });
    }
  }
  return { host, contexts, edits };
}

for (const [policy, format] of Object.keys(scorers).flatMap((name) =>
  MESSAGE_FORMATS.map((each) => [name, each] as const),
)) {
  describe(`the policy ${policy}, in ${format} format`, () => {
    it("keeps every context valid, and no parallel batch is split", async () => {
      const { contexts } = await work(format, policy);
      for (const context of contexts) {
        expect(messageFormats[format].check(context)).toEqual([]);
        const text = JSON.stringify(context.messages);
        for (let step = 0; step < 30; step++) {
          const parts = ["a", "b"].map((side) => text.split(`"call_${step}_${side}"`).length - 1);
          expect(parts, `step ${step} is there whole or not at all`).toEqual([parts[0], parts[0]]);
          expect([0, 2]).toContain(parts[0]);
        }
      }
    });

    it(policy === "none" ? "edits nothing" : "keeps the window free", async () => {
      const { host, edits } = await work(format, policy);
      const last = host.published("pressure.measured").at(-1);
      if (policy === "none") {
        expect(edits).toBe(0);
        expect(last?.tokens).toBeGreaterThan(WINDOW);
        return;
      }
      expect(edits).toBeGreaterThan(0);
      expect(last?.tokens).toBeLessThan(WINDOW);
      for (const { policy: by, score, rule } of host.published("block.evicted")) {
        expect(by).toBe(policy);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(rule.length).toBeGreaterThan(0);
      }
    });

    it("never lets a pinned block go, nor the task", async () => {
      const host = new TestManager();
      await host.call("session.open", {
        ...session,
        model: "gpt-4o",
        message_format: format,
        max_context_tokens: 2_000,
        settings: { eviction: { policy, keep_recent_units: 1 } },
      });
      const task = wire[format].user("Mend the parser of this project, please.");
      await host.call("on_turn_start", { ...session, messages: [task] });
      const rule = await host.call("context.append", { ...session, text: "Never touch the lexer.", pin: true });
      for (let step = 0; step < 12; step++) {
        const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
        await host.call("on_turn_end", { ...session, message: wire[format].answer("", [call]) });
        const content = prose(180, `step ${step}`);
        await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content });
        const { messages } = await host.call("on_turn_start", session);
        expect(messages?.[0]).toEqual(task);
        expect(messages).toContainEqual(wire[format].user("Never touch the lexer."));
      }
      const explained = await host.call("context.explain", { ...session, block_id: rule.block_ids[0] });
      expect(explained.standing?.protected_by).toBe("protected.pin");
    });
  });
}

describe("a cleared result", () => {
  it("keeps its call and a placeholder with the handle", async () => {
    // Clearing is what this policy prefers as long as a unit's call is worth more than its result.
    const { host, contexts } = await work("openai", "type", { eviction: { keep_recent_units: 2 } });
    const cleared = host.published("block.evicted").find(({ method }) => method === "clear");
    expect(cleared, "a result was cleared").toBeDefined();
    const placeholder = contexts
      .flatMap(({ messages }) => messages)
      .find((message) => message["role"] === "tool" && String(message["content"]).startsWith("[cleared result"));
    expect(placeholder?.["content"]).toMatch(/read_file "src\/[ab]_\d\.ts"/);
    expect(placeholder?.["content"]).toMatch(/h-[0-9a-f]{12}/);
    const context = contexts.find(({ messages }) => messages.includes(placeholder as JsonObject));
    const callId = placeholder?.["tool_call_id"] as string;
    expect(JSON.stringify(context?.messages.filter(({ role }) => role === "assistant"))).toContain(callId);
  });

  it("names no handle to an agent that cannot recall", async () => {
    const host = new TestManager();
    await host.call("session.open", {
      ...session,
      model: "gpt-4o",
      max_context_tokens: 3_000,
      settings: { eviction: { policy: "type", keep_recent_units: 1, merge: { enabled: false } } },
    });
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend it.")] });
    for (let step = 0; step < 20; step++) {
      const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
      await host.call("on_turn_end", { ...session, message: wire.openai.answer("I look.", [call]) });
      const content = prose(150, `step ${step}`);
      await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content });
      const { messages } = await host.call("on_turn_start", session);
      expect(JSON.stringify(messages)).not.toMatch(/h-[0-9a-f]{12}/);
    }
    expect(host.published("block.evicted").length).toBeGreaterThan(0);
  });
});

describe("turns between edits", () => {
  it("are kept below red", async () => {
    const host = new TestManager();
    await host.call("session.open", {
      ...session,
      model: "gpt-4o",
      max_context_tokens: 20_000,
      settings: {
        pressure: { thresholds: { yellow: 0.3, orange: 0.5, red: 0.79 }, forecast_turns: 0 },
        eviction: { min_turns_between_edits: 4, keep_recent_units: 1, target_utilization: 0.48, min_tokens_freed: 0 },
        ledger: { enabled: false },
      },
    });
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend it.")] });
    const edited: number[] = [];
    for (let step = 0; step < 40; step++) {
      const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
      await host.call("on_turn_end", { ...session, message: wire.openai.answer("I look.", [call]) });
      const content = prose(700, `step ${step}`);
      await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "bash", content });
      const { turn, applied, reading } = await host.call("on_turn_start", session);
      if (applied.length > 0) edited.push(turn);
      expect(reading.zone).not.toBe("red");
    }
    expect(edited.length).toBeGreaterThan(2);
    edited.slice(1).forEach((turn, index) => {
      expect(turn - (edited[index] as number)).toBeGreaterThanOrEqual(4);
    });
    expect(host.published("compaction.skipped").map(({ reason }) => reason)).toContain("min_turns_between_edits");
  });
});
