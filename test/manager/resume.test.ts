import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { parseRun } from "../../src/replay/recorded-run.ts";
import { TestManager } from "../support/manager.ts";
import { WINDOW_BY_WINDOW, WindowedAgent, type WindowedOptions } from "../support/windowed-agent.ts";
import { CONSTRAINTS, CRITERIA, DECISION } from "../support/windowed-plan.ts";

const RUN = parseRun(readFileSync(new URL("../fixtures/replay/runs/long-run.jsonl", import.meta.url), "utf8"), "long");
const WINDOW = 8_192;
const CUTS = [0, 3, 11, 30];
const agentOf = (host: TestManager, more: Partial<WindowedOptions>) =>
  new WindowedAgent(host, RUN, { session: "s", format: "openai", window: WINDOW, settings: WINDOW_BY_WINDOW, ...more });
const opened = { session_id: "s", resume: true };

/** How many messages of the run stand more than once in the context. */
function doubled(messages: readonly unknown[]): string[] {
  const texts = messages.map((message) => JSON.stringify(message));
  return texts.filter((text, at) => texts.indexOf(text) < at);
}

async function cut(format: MessageFormatName, turns: number, telling: "hooks" | "history") {
  const agent = agentOf(new TestManager({ checkReplies: false }), { format, telling });
  await agent.open();
  while (agent.turns < turns) await agent.turn();
  return agent;
}

describe.each(MESSAGE_FORMATS)("a session taken up again in another process, in the format %s", (format) => {
  it.each(CUTS)("has a valid context that begins with what is known, cut after %i turns", async (turns) => {
    const agent = await cut(format, turns, "hooks");
    const host = await agent.host.restarted();
    const { bootstrap } = await host.call("session.open", opened);
    const { prompt, messages, system, checkpoint, pending_calls } = bootstrap as NonNullable<typeof bootstrap>;
    const context = { messages: messages as JsonObject[], ...(system === undefined ? {} : { system }) };
    expect(messageFormats[format].check(context)).toEqual([]);
    for (const line of ["Do what the user asks.", ...CONSTRAINTS, ...CRITERIA, DECISION, "[in_progress] z"])
      expect(prompt).toContain(line);
    const rules = [...CONSTRAINTS, ...CRITERIA].join("\n").length;
    expect((prompt.length - rules) / 4).toBeLessThanOrEqual(0.1 * WINDOW);
    expect(pending_calls.length).toBe(turns === 0 ? 0 : 1);
    // The first one is saved when a subtask is done.
    expect(checkpoint === null).toBe(turns < 7);
    await host.manager.stop();
  });

  it.each(CUTS)("goes on message by message, cut after %i turns", async (turns) => {
    const agent = await cut(format, turns, "hooks");
    agent.host = await agent.host.restarted();
    await agent.host.call("session.open", opened);
    while (await agent.turn());
    expect(agent.faults).toEqual([]);
    const { messages } = await agent.host.call("context.get", { session_id: "s", include: ["messages"] });
    expect(doubled(messages ?? [])).toEqual([]);
    await agent.host.manager.stop();
  });

  it.each(CUTS)("goes on with the messages it was given as its own list, cut after %i turns", async (turns) => {
    const agent = await cut(format, turns, "history");
    agent.host = await agent.host.restarted();
    const { bootstrap } = await agent.host.call("session.open", opened);
    const given = bootstrap as NonNullable<typeof bootstrap>;
    // The step that waits for results is none of the messages: the agent puts it back, and its result behind it.
    const pending = given.pending_calls.length > 0 ? agent.own.slice(-1) : [];
    const messages = given.messages as JsonObject[];
    agent.own = structuredClone([...messages.slice(0, -1), ...pending]);
    const count = () => agent.host.live("s").messages.length;
    while (await agent.turn()) expect(count()).toBeGreaterThan(0);
    expect(agent.faults).toEqual([]);
    const after = await agent.host.call("context.get", { session_id: "s", include: ["messages"] });
    expect(doubled(after.messages ?? [])).toEqual([]);
    await agent.host.manager.stop();
  });
});

describe("a checkpoint taken into another session", () => {
  it.each(["document", "from_session"] as const)("begins its window with what the other knew, by %s", async (way) => {
    const agent = await cut("openai", 20, "hooks");
    const { host } = agent;
    const { checkpoint } = await host.call("session.close", { session_id: "s" });
    const { document } = await host.call("checkpoint.get", {
      session_id: "s",
      checkpoint_id: checkpoint.checkpoint_id,
    });
    await host.call("session.open", { session_id: "next", model: "gpt-4o", max_context_tokens: WINDOW });
    const offered = way === "document" ? { checkpoint: document } : { from_session: "s" };
    const loaded = await host.call("checkpoint.load", { session_id: "next", ...offered });
    const { prompt, messages } = loaded.bootstrap as NonNullable<typeof loaded.bootstrap>;
    for (const line of [...CONSTRAINTS, ...CRITERIA, DECISION, "[in_progress] z2"]) expect(prompt).toContain(line);
    expect(messageFormats.openai.check({ messages: messages as JsonObject[] })).toEqual([]);
    const started = await host.call("on_turn_start", {
      session_id: "next",
      messages: [{ role: "user", content: "Go on." }],
      window_id: loaded.window_id,
    });
    expect(messageFormats.openai.check({ messages: started.messages as JsonObject[] })).toEqual([]);
    await host.manager.stop();
  });
});
