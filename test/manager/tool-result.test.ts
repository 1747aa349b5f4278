import { describe, expect, it } from "vitest";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { TestManager } from "../support/manager.ts";
import { PNG_3_BY_2 } from "../support/message-arbitraries.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

/** A session whose assistant has called each of these tools. */
async function calling(format: MessageFormatName, calls: readonly string[], window = 32_000): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", {
    ...session,
    model: "gpt-4o",
    message_format: format,
    max_context_tokens: window,
    can_recall: true,
  });
  await host.call("on_turn_start", { ...session, messages: [wire[format].user("Mend the parser.")] });
  const made = calls.map((id) => ({ id, name: "read_file", input: { path: `${id}.ts` } }));
  await host.call("on_turn_end", { ...session, message: wire[format].answer("I look.", made) });
  return host;
}

function answer(host: TestManager, id: string, content: unknown, more: JsonObject = {}) {
  return host.call("on_tool_result", { ...session, tool_call_id: id, tool_name: "read_file", content, ...more });
}

async function contextOf(host: TestManager) {
  const { messages, system } = await host.call("context.get", { ...session, include: ["messages"] });
  return { messages: messages as JsonObject[], ...(system === undefined ? {} : { system }) };
}

describe("a tool result", () => {
  for (const format of MESSAGE_FORMATS) {
    it(`stands in the context as it came, in ${format} format`, async () => {
      const host = await calling(format, ["call_1"]);
      const reply = await answer(host, "call_1", "export const a = 1;");
      expect(reply).toMatchObject({ action: "kept", content: "export const a = 1;" });
      expect(reply.handle).toBeUndefined();
      const { messages } = await contextOf(host);
      expect(messages.at(-1)).toEqual(wire[format].results([{ id: "call_1", content: "export const a = 1;" }])[0]);
    });

    it(`of a parallel batch stands with the others, in ${format} format`, async () => {
      const host = await calling(format, ["call_1", "call_2", "call_3"]);
      for (const id of ["call_1", "call_2", "call_3"]) await answer(host, id, `text of ${id}`);
      const context = await contextOf(host);
      expect(messageFormats[format].check(context)).toEqual([]);
      expect(context.messages).toHaveLength(format === "anthropic" ? 3 : 5);
      await host.call("on_turn_start", { ...session, messages: [wire[format].user("Go on.")] });
    });

    it(`may come by hook and with the next messages, in ${format} format`, async () => {
      const host = await calling(format, ["call_1", "call_2"]);
      await answer(host, "call_1", "by the hook");
      const rest = wire[format].results([{ id: "call_2", content: "with the messages" }]);
      const reply = await host.call("on_turn_start", { ...session, messages: [...rest, wire[format].user("Go on.")] });
      expect(messageFormats[format].check({ messages: reply.messages as JsonObject[] })).toEqual([]);
    });

    it(`too large for the window is cut to head and tail, in ${format} format`, async () => {
      const host = await calling(format, ["call_1"], 4_000);
      const text = prose(3_000, "log");
      const reply = await answer(host, "call_1", text);
      expect(reply.action).toBe("truncated");
      expect(reply.tokens_after).toBeLessThanOrEqual(1_000);
      expect(reply.tokens_before).toBeGreaterThan(2_500);
      const shown = reply.content as string;
      expect(shown.startsWith(text.slice(0, 100))).toBe(true);
      expect(shown.endsWith(text.slice(-100))).toBe(true);
      expect(shown).toContain(`recall ${reply.handle}`);
      const recalled = await host.call("content.recall", { ...session, handle: reply.handle });
      expect(recalled.content).toBe(text);
    });

    it(`that is an error is marked so where the format can, in ${format} format`, async () => {
      const host = await calling(format, ["call_1"]);
      await answer(host, "call_1", "no such file", { is_error: true });
      const [message] = (await contextOf(host)).messages.slice(-1) as [JsonObject];
      const flag = format === "anthropic" ? (message["content"] as JsonObject[])[0]?.["is_error"] : undefined;
      expect(flag).toBe(format === "anthropic" ? true : undefined);
    });
  }

  it("with an image too large for the window says that it was left out", async () => {
    const host = await calling("anthropic", ["call_1"], 512);
    const source = { type: "base64", media_type: "image/png", data: PNG_3_BY_2 };
    const images = Array.from({ length: 400 }, () => ({ type: "image", source }));
    const reply = await answer(host, "call_1", [{ type: "text", text: "Two screenshots." }, ...images]);
    expect(reply.action).toBe("truncated");
    expect(reply.content).toBe(`Two screenshots.\n[attachment left out: too large; recall ${reply.handle}]`);
  });

  it("of any JSON value is its JSON text", async () => {
    const host = await calling("openai", ["call_1"]);
    expect((await answer(host, "call_1", { ok: true, files: [1, 2] })).content).toBe('{"ok":true,"files":[1,2]}');
  });

  it("is measured at once, with its budget", async () => {
    const host = await calling("openai", ["call_1", "call_2"], 8_000);
    const before = (await host.call("context.get", session)).reading?.tokens as number;
    const first = await answer(host, "call_1", prose(400, "first"));
    expect(first.reading.tokens).toBeGreaterThan(before + 300);
    expect(first.budget_check).toMatchObject({ component: "tool_results", state: "ok" });
    const second = await answer(host, "call_2", prose(900, "second"));
    expect(second.budget_check.state).toBe("hard");
  });
});
