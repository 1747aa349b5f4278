import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS } from "../../src/model/message.ts";
import { refused, TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const settings = { eviction: { keep_recent_units: 1, keep_user_tokens: 0 }, compression: { ingest_max_tokens: 400 } };

async function exported(host: TestManager, limit = 1000): Promise<{ metadata: JsonObject; messages: JsonObject[] }> {
  const messages: JsonObject[] = [];
  let metadata: JsonObject = {};
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof host.call<"session.export">>> = await host.call("session.export", {
      ...session,
      limit,
      ...(cursor === null ? {} : { cursor }),
    });
    messages.push(...(page.messages as JsonObject[]));
    metadata = page.metadata as JsonObject;
    cursor = page.next_cursor;
    expect(page.total_messages).toBeGreaterThanOrEqual(messages.length);
  } while (cursor !== null);
  return { metadata, messages };
}

for (const format of MESSAGE_FORMATS) {
  const { user, answer, results } = wire[format];

  /** Works through that many steps, two calls each; answers what the agent has said and heard. */
  async function work(host: TestManager, steps: number): Promise<JsonObject[]> {
    const said: JsonObject[] = [user("Mend the parser.")];
    await host.call("on_turn_start", { ...session, messages: [...said] });
    for (let n = 0; n < steps; n++) {
      const calls = [`a${n}`, `b${n}`].map((id) => ({ id, name: "read_file", input: { path: `${id}.ts` } }));
      const message = answer(`Step ${n}.`, calls);
      await host.call("on_turn_end", { ...session, message });
      const outputs = [prose(120, `first ${n}`), prose(n === 2 ? 900 : 60, `second ${n}`)];
      for (const [index, { id, name }] of calls.entries()) {
        const result = { tool_call_id: id, tool_name: name, content: outputs[index] as string };
        await host.call("on_tool_result", { ...session, ...result });
      }
      said.push(message, ...results(calls.map(({ id }, index) => ({ id, content: outputs[index] as string }))));
      const fresh = n % 5 === 4 ? [user(`And ${n}?`)] : [];
      said.push(...fresh);
      await host.call("on_turn_start", { ...session, messages: fresh });
    }
    return said;
  }

  async function opened(own: JsonObject = {}): Promise<TestManager> {
    const host = new TestManager();
    const parameters = { model: "gpt-4o", agent: "mender", message_format: format, max_context_tokens: 3000, settings };
    await host.call("session.open", { ...session, system: "Be careful.", ...parameters, ...own });
    return host;
  }

  describe(`an exported ${format} session`, () => {
    it("has the original messages in their order, evicted and cut ones too", async () => {
      const host = await opened({ task: { goal: "Mend it.", success_criteria: [], constraints: [] } });
      const said = await work(host, 20);
      expect(host.published("block.evicted").length).toBeGreaterThan(20);
      expect(host.published("block.truncated").length).toBeGreaterThan(0);
      const { metadata, messages } = await exported(host);
      const head = format === "openai" ? [{ role: "system", content: "Be careful." }] : [];
      expect(messages).toEqual([...head, ...said]);
      expect(metadata).toEqual({
        id: "s",
        family: "mender",
        task: "Mend it.",
        model: "gpt-4o",
        max_context_tokens: expect.any(Number),
        format,
        ...(format === "anthropic" ? { system: "Be careful." } : {}),
      });
    });

    it("is the same in pages, after a restart, and when it has been closed", async () => {
      const host = await opened();
      await work(host, 12);
      const whole = await exported(host);
      expect(await exported(host, 7)).toEqual(whole);
      const again = await host.restarted();
      await again.call("session.close", session);
      expect(await exported(again)).toEqual(whole);
    });

    it("is of one state, though messages come between its pages", async () => {
      const host = await opened();
      await work(host, 6);
      const { messages } = await exported(host);
      const first = await host.call("session.export", { ...session, limit: 5 });
      await host.call("on_turn_end", { ...session, message: answer("Done.") });
      const rest = await host.call("session.export", { ...session, limit: 1000, cursor: first.next_cursor });
      expect([...first.messages, ...rest.messages]).toEqual(messages);
      expect(rest.next_cursor).toBeNull();
    });

    it("shows memory that the runtime put in", async () => {
      const host = await opened();
      await host.call("on_turn_start", { ...session, messages: [user("Mend the parser.")] });
      await host.call("on_turn_end", { ...session, message: answer("Well.") });
      await host.call("context.append", { ...session, text: "The user likes tabs." });
      expect((await exported(host)).messages.at(-1)).toEqual(user("The user likes tabs."));
    });

    it("of an agent that has rewritten its history has what was evicted and comes again once", async () => {
      const host = await opened();
      const said = await work(host, 12);
      expect(host.published("block.evicted").some(({ method }) => method === "drop")).toBe(true);
      // The agent puts a summary of its own in the place of the first steps and goes on with the rest, evicted or not.
      const first = said.findIndex((message, at) => at > 0 && message["role"] === "assistant" && at > 4);
      const own = [said[0] as JsonObject, user("A summary of my own."), ...said.slice(first)];
      await host.call("on_turn_start", { ...session, history: own });
      const { messages } = await exported(host);
      const sent = [...said.slice(0, first), user("A summary of my own."), ...said.slice(first)];
      expect(messages.slice(format === "openai" ? 1 : 0)).toEqual(sent);
    });
  });
}

describe("an export", () => {
  it("of a cursor that is none is refused, and of a session that is none", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, model: "gpt-4o" });
    const error = await refused(host.call("session.export", { ...session, cursor: "next" }), "invalid_params");
    expect(error.data).toEqual({ path: "cursor" });
    await refused(host.call("session.export", { session_id: "other" }), "session_not_found");
  });

  it("of a session whose beginning has been pruned is refused", async () => {
    const host = new TestManager({ snapshotEvery: 2 });
    await host.call("session.open", { ...session, model: "gpt-4o" });
    await host.call("on_turn_start", { ...session, messages: [{ role: "user", content: "Hello." }] });
    await host.call("on_turn_end", { ...session, message: { role: "assistant", content: "Hello." } });
    await host.call("session.close", session);
    await host.journal.prune({ closedBefore: Number.MAX_SAFE_INTEGER });
    const error = await refused(host.call("session.export", session), "invalid_params");
    expect(error.message).toMatch(/has been pruned/);
  });

  it("shows one tenant nothing of another's", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, model: "gpt-4o" });
    await refused(host.call("session.export", session, "another"), "session_not_found");
  });
});
