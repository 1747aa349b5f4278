import { describe, expect, it } from "vitest";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../../src/model/message.ts";
import { TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

/** An agent that tells its whole list at each turn's start, and nothing else. */
class ListAgent {
  readonly host = new TestManager();
  readonly format: MessageFormatName;
  list: JsonObject[] = [];
  #calls = 0;

  private constructor(format: MessageFormatName) {
    this.format = format;
  }

  static async open(format: MessageFormatName, window = 128_000): Promise<ListAgent> {
    const agent = new ListAgent(format);
    await agent.host.call("session.open", {
      ...session,
      model: "gpt-4o",
      message_format: format,
      max_context_tokens: window,
      settings: { eviction: { keep_recent_units: 1, keep_user_tokens: 0 } },
    });
    return agent;
  }

  async start(...fresh: JsonObject[]) {
    this.list.push(...fresh);
    const reply = await this.host.call("on_turn_start", { ...session, history: this.list });
    expect(messageFormats[this.format].check({ messages: reply.messages as JsonObject[] })).toEqual([]);
    return reply;
  }

  /** A step of work: a call, its result. */
  work(text: string, parallel = 1): void {
    const { answer, results } = wire[this.format];
    const calls = Array.from({ length: parallel }, () => `call_${++this.#calls}`);
    this.list.push(
      answer(
        "I look.",
        calls.map((id) => ({ id, name: "read_file", input: { path: `${id}.ts` } })),
      ),
    );
    this.list.push(...results(calls.map((id) => ({ id, content: `${id}: ${text}` }))));
  }

  diverged() {
    return this.host.published("history.diverged");
  }
}

for (const format of MESSAGE_FORMATS) {
  const { user, answer } = wire[format];

  describe(`a whole ${format} history`, () => {
    it("that has only grown brings what is new", async () => {
      const agent = await ListAgent.open(format);
      await agent.start(user("Mend the parser."));
      agent.work("some text", 2);
      const reply = await agent.start();
      expect(reply.messages).toEqual(agent.list);
      expect(agent.diverged()).toEqual([]);
    });

    it("brings back nothing of what was evicted", async () => {
      const agent = await ListAgent.open(format, 2_000);
      await agent.start(user("Mend the parser."));
      for (let step = 0; step < 12; step++) {
        agent.work(prose(200, `step ${step}`));
        await agent.start();
      }
      const { reading, messages } = await agent.start(user("Go on."));
      expect(agent.host.published("block.evicted").length).toBeGreaterThan(0);
      expect(reading.tokens).toBeLessThan(2_000);
      expect((messages as JsonObject[]).length).toBeLessThan(agent.list.length);
      expect(agent.diverged(), "the agent's own list has only grown").toEqual([]);
    });

    it("brings back nothing of what was evicted when the agent rewrites its end", async () => {
      const agent = await ListAgent.open(format, 2_000);
      await agent.start(user("Mend the parser."));
      for (let step = 0; step < 12; step++) {
        agent.work(prose(200, `step ${step}`));
        await agent.start();
      }
      const held = (await agent.start(answer("A wrong turn."), user("No."))).messages?.length as number;
      agent.list.splice(-2);
      const { messages } = await agent.start(answer("A right turn."), user("Yes."));
      expect(messages).toHaveLength(held);
      expect(JSON.stringify(messages)).not.toContain("step 1 line");
      expect(JSON.stringify(messages)).not.toContain("wrong turn");
    });

    it("may be the managed list, which the agent has taken for its own", async () => {
      const agent = await ListAgent.open(format, 2_000);
      await agent.start(user("Mend the parser."));
      for (let step = 0; step < 12; step++) {
        agent.work(prose(200, `step ${step}`));
        const reply = await agent.start();
        agent.list = [...(reply.messages as JsonObject[])];
      }
      expect(agent.host.published("block.evicted").length).toBeGreaterThan(0);
      expect(agent.host.published("message.removed")).toEqual([]);
      expect(agent.list.length).toBeLessThan(20);
    });

    it("that the agent rolled back loses what is no longer there", async () => {
      const agent = await ListAgent.open(format);
      await agent.start(user("Mend the parser."));
      agent.work("a wrong turn");
      await agent.start();
      agent.list = agent.list.slice(0, 1);
      const reply = await agent.start(answer("I begin anew."), user("Good."));
      expect(reply.messages).toEqual(agent.list);
      expect(agent.diverged()).toMatchObject([{ removed_messages: 2, sent_count: 1 }]);
    });

    it("in which the agent put a summary for the middle holds the summary", async () => {
      const agent = await ListAgent.open(format);
      await agent.start(user("Mend the parser."));
      for (let step = 0; step < 4; step++) agent.work(`step ${step}`);
      await agent.start(user("Go on."));
      agent.list.splice(1, 6, user("Summary: three files were read."));
      const reply = await agent.start(answer("I go on."), user("Well?"));
      expect(reply.messages).toEqual(agent.list);
    });

    it("in which the agent shortened old results holds them as the agent does", async () => {
      const agent = await ListAgent.open(format);
      await agent.start(user("Mend the parser."));
      for (let step = 0; step < 3; step++) agent.work(prose(50, `step ${step}`), 2);
      await agent.start(user("Go on."));
      agent.list = JSON.parse(
        JSON.stringify(agent.list).replace(/call_3: [^"]*"/, 'call_3: [cleared]"'),
      ) as JsonObject[];
      const reply = await agent.start(answer("I go on."), user("Well?"));
      expect(reply.messages).toEqual(agent.list);
    });

    it("keeps a pin on what comes again", async () => {
      const agent = await ListAgent.open(format);
      await agent.start(user("Mend the parser."));
      agent.work("step one");
      agent.work("step two");
      await agent.start(user("Never touch the lexer."));
      const { blocks = [] } = await agent.host.call("context.get", session);
      const pinned = blocks.filter((block) => block.type === "user_message").at(-1)?.block_id;
      await agent.host.call("context.pin", { ...session, block_ids: [pinned] });
      agent.list.splice(1, 2, user("Summary: one file was read."));
      await agent.start(answer("I go on."), user("Well?"));
      const { blocks: after = [] } = await agent.host.call("context.get", session);
      const kept = after.filter((block) => block.pinned);
      expect(kept).toHaveLength(1);
      expect((await agent.host.call("content.recall", { ...session, block_id: kept[0]?.block_id })).content).toBe(
        "Never touch the lexer.",
      );
    });

    it("may follow results that came by hook, told or not told what to keep", async () => {
      for (const obeys of [true, false]) {
        const agent = await ListAgent.open(format, 4_000);
        await agent.start(user("Mend the parser."));
        const whole = prose(2_500, "log");
        agent.work(whole);
        const [result] = agent.list.splice(-1);
        await agent.host.call("on_turn_end", { ...session, message: agent.list.at(-1) });
        const { content } = await agent.host.call("on_tool_result", {
          ...session,
          tool_call_id: "call_1",
          tool_name: "read_file",
          content: `call_1: ${whole}`,
        });
        agent.list.push(
          obeys ? (wire[format].results([{ id: "call_1", content }])[0] as JsonObject) : (result as JsonObject),
        );
        const { reading, messages } = await agent.start();
        expect(messages).toHaveLength(3);
        expect(reading.tokens).toBeLessThan(2_000);
        expect(agent.host.published("message.removed").length, "what is told is what is held").toBe(obeys ? 0 : 2);
        await agent.start(user("Go on."));
        expect(agent.host.published("message.removed").length).toBe(obeys ? 0 : 2);
      }
    });
  });
}

describe("a system prompt in the agent's own list", () => {
  const system = (text: string): JsonObject => ({ role: "system", content: text });

  it("takes the place of the one before, and nothing else changes", async () => {
    const agent = await ListAgent.open("openai");
    await agent.start(system("It is Monday."), wire.openai.user("Mend the parser."));
    agent.work("some text");
    await agent.start();
    agent.list[0] = system("It is Tuesday.");
    const reply = await agent.start(wire.openai.answer("I go on."), wire.openai.user("Well?"));
    expect(reply.messages).toEqual(agent.list);
    expect(agent.host.published("message.removed")).toEqual([{ message_id: "m1" }]);
    agent.list[0] = system("It is Wednesday.");
    agent.list.unshift(system("Be careful."));
    expect((await agent.start(wire.openai.user("And now?"))).messages).toEqual(agent.list);
    expect(agent.diverged().at(-1)).toMatchObject({ removed_messages: 1, sent_count: 7 });
  });

  it("takes the place of the one that the session was opened with", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, system: "Be careful." });
    const history = [system("Be quick."), wire.openai.user("Mend the parser.")];
    expect((await host.call("on_turn_start", { ...session, history })).messages).toEqual(history);
  });

  it("may be left to contextd: a list without one keeps it", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, system: "Be careful." });
    const history = [wire.openai.user("Mend the parser.")];
    const { messages } = await host.call("on_turn_start", { ...session, history });
    expect(messages).toEqual([system("Be careful."), ...history]);
    history.push(wire.openai.answer("Mended."), wire.openai.user("Thanks."));
    expect((await host.call("on_turn_start", { ...session, history })).messages).toHaveLength(4);
  });

  it("stays first for the passes: the newest units are still the newest", async () => {
    const agent = await ListAgent.open("openai");
    await agent.start(system("It is Monday."), wire.openai.user("Mend the parser."));
    agent.list[0] = system("It is Tuesday.");
    await agent.start(wire.openai.answer("I go on."), wire.openai.user("Well?"));
    const units = [...agent.host.live("s").units.values()];
    expect(units.map((unit) => unit.blocks[0]?.type)).toEqual([
      "system_prompt",
      "user_message",
      "assistant_response",
      "user_message",
    ]);
    expect([...(await agent.host.session("s")).units.keys()]).toEqual(units.map((unit) => unit.id));
  });
});

describe("on_overflow with a history", () => {
  it("takes the agent's list in before it evicts", async () => {
    const agent = await ListAgent.open("openai", 8_000);
    await agent.start(wire.openai.user("Mend the parser."));
    for (let step = 0; step < 6; step++) agent.work(prose(300, `step ${step}`));
    await agent.start();
    agent.list = agent.list.slice(0, 9);
    const reply = await agent.host.call("on_overflow", { ...session, history: agent.list });
    expect(reply.action).toBe("retry");
    expect(JSON.stringify(reply.messages)).not.toContain("call_5");
    const next = await agent.start(wire.openai.answer("I go on."), wire.openai.user("Well?"));
    expect(JSON.stringify(next.messages)).toContain("Well?");
  });
});

describe("an agent that takes the context for its list", () => {
  it("brings the bootstrap of a first turn's new window again, which is not taken for its own words", async () => {
    const host = new TestManager();
    const session = { session_id: "taken" };
    await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 1000 });
    const asked = wire.openai.user("Mend the parser.");
    // It keeps more than it tells, so that its window is full with the first message.
    const first = await host.call("on_turn_start", {
      ...session,
      history: [asked],
      model_reported: { input_tokens: 950 },
    });
    expect(first.action).toBe("cross_window_save");
    const list = [...(first.messages ?? []), wire.openai.answer("I look."), wire.openai.user("Go on.")];
    const second = await host.call("on_turn_start", { ...session, history: list });
    expect(second.messages).toEqual(list);
    const added = host.published("message.added").filter(({ source }) => source === "agent");
    expect(added.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const third = await host.call("on_turn_start", {
      ...session,
      history: [...list, wire.openai.answer("Done."), wire.openai.user("Thanks.")],
    });
    expect(third.messages).toHaveLength(list.length + 2);
  });
});
