import { describe, expect, it } from "vitest";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const WINDOW = 16_000;
const COMPACTIONS = 100;
/** Steps before each one: more than it keeps. */
const STEPS = 4;
/** Share of the window that each compaction goes down to. */
const TARGET = 0.2;
/** Compactions after which the manager starts anew on its journal. */
const RESTART_EVERY = 40;

const SYSTEM =
  "You mend the billing service.\n\n  Keep   the spacing \u00e9\u{1f600} of what you quote, {$&} included.";
const GOAL = "Find out why invoices are lost, and mend it.";
const CONSTRAINT = "Deploy key is kept in vault slot 7F-22; never print it.";
const CRITERION = "The suite `billing/it` passes 3 times in a row.";
const TASK = `${GOAL}\nInvoice 88-1204 of customer Okonkwo was lost on 3 March.`;
const IN_PASSING = "Never touch the legacy folder, the auditors hash it.";
/** Too long to stay as one of the user's latest words: the rule must outlive its message. */
const SAID = `Thanks, that helps. ${IN_PASSING} Go on with the worker:\n\n${prose(2_000, "log")}`;
const PINNED = "Ledger id of the lost invoice: LX-55-ALPHA.\n\tIts line:  \u201c0,00\u201d";
const NOTE = "Customer Okonkwo is billed in NGN, not in EUR.";

/** All texts that a rendered context shows. */
function textsOf(context: { readonly messages: readonly JsonObject[]; readonly system?: unknown }): string[] {
  const inside = (value: unknown): string[] => {
    if (typeof value === "string") return [value];
    if (Array.isArray(value)) return value.flatMap(inside);
    if (typeof value !== "object" || value === null) return [];
    const { content, text } = value as JsonObject;
    return [...inside(content), ...inside(text)];
  };
  return [...inside(context.system), ...context.messages.flatMap(inside)];
}

async function shown(host: TestManager) {
  const { messages = [], system, reading } = await host.call("context.get", { ...session, include: ["messages"] });
  const context = { messages: messages as JsonObject[], ...(system === undefined ? {} : { system }) };
  return { context, texts: textsOf(context), tokens: reading?.tokens ?? 0 };
}

/** A session in its third turn: everything that must last has been said. */
async function begun(format: MessageFormatName): Promise<TestManager> {
  const host = new TestManager({ checkReplies: false });
  const say = wire[format];
  await host.call("session.open", {
    ...session,
    model: "gpt-4o",
    message_format: format,
    max_context_tokens: WINDOW,
    system: SYSTEM,
    task: { goal: GOAL, constraints: [CONSTRAINT], success_criteria: [CRITERION] },
  });
  await host.call("on_turn_start", { ...session, messages: [say.user(TASK)] });
  await host.call("note.write", { ...session, text: NOTE, category: "constraints" });
  await host.call("context.append", { ...session, text: PINNED, type: "memory_injection" });
  const held = [...host.live("s").blocks.values()].find(({ type }) => type === "memory_injection");
  await host.call("context.pin", { ...session, block_ids: [held?.id] });
  await host.call("on_turn_end", { ...session, message: say.answer("I read the worker first.") });
  await host.call("on_turn_start", { ...session, messages: [say.user(SAID)] });
  await host.call("on_turn_end", { ...session, message: say.answer("I leave it alone.") });
  await host.call("on_turn_start", { ...session, messages: [say.user("Go on.")] });
  return host;
}

/** A step of work that fills the window by some, with a word of the user's now and then. */
async function work(host: TestManager, format: MessageFormatName, step: number): Promise<void> {
  const say = wire[format];
  const call = { id: `call_${step}`, name: "read_file", input: { path: `src/worker_${step}.ts` } };
  const message = say.answer(`I look at src/worker_${step}.ts next.`, [call]);
  await host.call("on_turn_end", { ...session, message });
  const content = `${prose(900, `step ${step}`)}\nError: lease ${step} expired after ${step * 17} ms`;
  await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: call.name, content });
  const messages = step % 7 === 0 ? [say.user(`How far are you? I see step ${step}.`)] : [];
  await host.call("on_turn_start", { ...session, messages });
}

describe.each(MESSAGE_FORMATS)("a hundred forced compactions while the agent works (%s)", (format) => {
  it("leave system prompt, task, pins and rules as they were, and every context valid", async () => {
    let host = await begun(format);
    const first = (await shown(host)).context;
    const taskMessage = wire[format].user(TASK);
    const told: string[] = [];
    let compactions = 0;
    const takeEvents = () => {
      compactions += host.published("history.compacted").length;
      told.push(...host.published("constraint.reinserted").map(({ text }) => text));
    };
    for (let step = 1; step <= COMPACTIONS; step++) {
      for (let part = 0; part < STEPS; part++) await work(host, format, STEPS * step + part);
      const { tokens_before } = await host.call("context.compact", { ...session, target_utilization: TARGET });
      const { context, texts, tokens } = await shown(host);
      const where = `after ${step} compactions`;
      expect(messageFormats[format].check(context), where).toEqual([]);
      expect(tokens, where).toBeLessThan(tokens_before);
      expect(tokens, where).toBeLessThanOrEqual(WINDOW);
      if (format === "anthropic") expect(context.system, where).toEqual((first as JsonObject)["system"]);
      else expect(context.messages[0], where).toEqual({ role: "system", content: SYSTEM });
      expect(context.messages, where).toContainEqual(taskMessage);
      expect(texts, where).toContain(SYSTEM);
      expect(texts, where).toContain(PINNED);
      for (const kept of [CONSTRAINT, CRITERION, IN_PASSING, NOTE]) {
        expect(texts.filter((text) => text.includes(kept)).length, `${where}: ${kept}`).toBeGreaterThan(0);
      }
      if (step % RESTART_EVERY !== 0) continue;
      takeEvents();
      host = await host.restarted();
      expect((await shown(host)).context, "a restart changes nothing").toEqual(context);
    }
    takeEvents();
    expect(compactions).toBeGreaterThanOrEqual(COMPACTIONS);
    expect((await shown(host)).texts, "the user's own message is long gone").not.toContain(SAID);
    expect(told, "each rule is told once").toEqual(expect.arrayContaining([CONSTRAINT, CRITERION, IN_PASSING]));
    expect(new Set(told).size).toBe(told.length);
    await host.manager.stop();
  });
});
