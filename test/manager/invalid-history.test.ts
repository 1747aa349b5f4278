import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { refused, TestManager } from "../support/manager.ts";
import { wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const call = (id: string) => ({ id, name: "read_file", input: { path: "a.ts" } });

async function opened(format: MessageFormatName): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", { ...session, message_format: format, model: "gpt-4o", system: "Be careful." });
  await host.call("on_turn_start", { ...session, messages: [wire[format].user("Mend the parser.")] });
  return host;
}

/** The call is refused for its history, names the place, and changes nothing. */
async function refusesAt(host: TestManager, path: string, attempt: () => Promise<unknown>): Promise<void> {
  const read = () => host.call("context.get", { ...session, include: ["blocks", "messages"] });
  const before = await read();
  const published = host.events.length;
  const error = await refused(attempt(), "invalid_history");
  expect(error.data["path"]).toBe(path);
  expect(error.code).toBe(-32010);
  expect(await read(), "nothing has changed").toEqual(before);
  expect(host.events.length).toBe(published);
}

for (const format of MESSAGE_FORMATS) {
  const { user, answer, results } = wire[format];

  describe(`a history that ${format} would not take`, () => {
    it("has a result that answers no call", async () => {
      const host = await opened(format);
      const orphan = { ...session, tool_call_id: "call_9", tool_name: "read_file", content: "text" };
      await refusesAt(host, "tool_call_id", () => host.call("on_tool_result", orphan));
      const messages = [user("One more thing."), ...results([{ id: "call_9", content: "text" }])];
      await refusesAt(host, "messages[1]", () => host.call("on_turn_start", { ...session, messages }));
    });

    it("has two results for one call", async () => {
      const host = await opened(format);
      await host.call("on_turn_end", { ...session, message: answer("", [call("call_1")]) });
      const result = { ...session, tool_call_id: "call_1", tool_name: "read_file", content: "text" };
      await host.call("on_tool_result", result);
      await refusesAt(host, "tool_call_id", () => host.call("on_tool_result", result));
    });

    it("goes on while a call has no result", async () => {
      const host = await opened(format);
      await host.call("on_turn_end", { ...session, message: answer("", [call("call_1"), call("call_2")]) });
      await host.call("on_tool_result", {
        ...session,
        tool_call_id: "call_1",
        tool_name: "read_file",
        content: "text",
      });
      const error = await refused(host.call("on_turn_start", session), "invalid_history");
      expect(error.data["tool_call_ids"]).toEqual(["call_2"]);
      await refusesAt(host, "messages[0]", () =>
        host.call("on_turn_start", { ...session, messages: [user("Go on.")] }),
      );
      await refusesAt(host, "message", () => host.call("on_turn_end", { ...session, message: answer("Done.") }));
      await refusesAt(host, "text", () => host.call("context.append", { ...session, text: "A note." }));
    });

    it("uses a call id twice in one message", async () => {
      const host = await opened(format);
      const message = answer("", [call("call_1"), call("call_1")]);
      await refusesAt(host, "message", () => host.call("on_turn_end", { ...session, message }));
    });

    it("has a call or a result on the wrong side", async () => {
      const host = await opened("anthropic");
      const called = { ...(answer("", [call("call_1")]) as JsonObject), role: "user" };
      const wrong =
        format === "anthropic"
          ? called
          : { role: "user", content: [{ type: "tool_use", id: "a", name: "b", input: {} }] };
      await refusesAt(host, "messages[0]", () => host.call("on_turn_start", { ...session, messages: [wrong] }));
    });

    it("has a role where it cannot be", async () => {
      const host = await opened(format);
      const error = await refused(host.call("on_turn_end", { ...session, message: user("Hello.") }), "invalid_params");
      expect(error.data["path"]).toBe("message.role");
    });

    it("has a message that cannot be read, named to its part", async () => {
      const host = await opened(format);
      const broken = { role: "user", content: [{ type: "text", text: "fine" }, { text: "no type" }] };
      const error = await refused(host.call("on_turn_start", { ...session, messages: [broken] }), "invalid_params");
      expect(error.data["path"]).toBe("messages[0].content[1].type");
    });
  });
}

describe("a call id that returns in a later message", () => {
  const turn = async (host: TestManager, format: MessageFormatName, id: string) => {
    await host.call("on_turn_end", { ...session, message: wire[format].answer("", [call(id)]) });
    await host.call("on_tool_result", { ...session, tool_call_id: id, tool_name: "read_file", content: "text" });
    await host.call("on_turn_start", session);
  };

  it("is taken where the provider takes it", async () => {
    const host = await opened("openai");
    await turn(host, "openai", "call_1");
    await turn(host, "openai", "call_1");
    expect((await host.session("s")).messages).toHaveLength(6);
  });

  it("is refused where the provider refuses it", async () => {
    const host = await opened("anthropic");
    await turn(host, "anthropic", "call_1");
    const message = wire.anthropic.answer("", [call("call_1")]);
    await refusesAt(host, "message", () => host.call("on_turn_end", { ...session, message }));
  });
});

describe("an OpenAI result with fields of its own", () => {
  it("may be one of several", async () => {
    const host = await opened("openai");
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("", [call("call_1"), call("call_2")]) });
    const messages = wire.openai
      .results([
        { id: "call_1", content: "one" },
        { id: "call_2", content: "two" },
      ])
      .map((message) => ({ ...message, metadata: { took_ms: 3 } }));
    const reply = await host.call("on_turn_start", { ...session, messages });
    expect(reply.messages?.slice(-2)).toEqual(messages);
  });
});
