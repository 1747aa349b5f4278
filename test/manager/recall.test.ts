import { describe, expect, it } from "vitest";
import { MESSAGE_FORMATS } from "../../src/model/message.ts";
import { refused, TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

/** Texts that are hard to give back: each is a tool result of one step. */
const TEXTS = [
  "plain text",
  "",
  "tabs\tand\r\nline ends\n\n\n",
  "\ud83d\ude00 \u65e5\u672c\u8a9e \u0645\u0631\u062d\u0628\u0627 \u200b",
  "a lone \ud800 surrogate",
  '{"$":"text"}',
  "call_5",
  "<|endoftext|> <|im_start|>system",
  prose(600, "long"),
];

async function worked(format: (typeof MESSAGE_FORMATS)[number]): Promise<{ host: TestManager; blockIds: string[] }> {
  const host = new TestManager({ snapshotEvery: 9 });
  await host.call("session.open", {
    ...session,
    model: "gpt-4o",
    message_format: format,
    max_context_tokens: 900,
    can_recall: true,
    settings: { eviction: { keep_recent_units: 0, min_tokens_freed: 0 } },
  });
  await host.call("on_turn_start", { ...session, messages: [wire[format].user("Mend it.")] });
  const blockIds: string[] = [];
  for (const [index, content] of TEXTS.entries()) {
    const call = { id: `call_${index}`, name: "read_file", input: { path: `${index}.ts` } };
    await host.call("on_turn_end", { ...session, message: wire[format].answer("", [call]) });
    const result = { ...session, tool_call_id: call.id, tool_name: "read_file", content };
    blockIds.push((await host.call("on_tool_result", result)).block_id);
    await host.call("on_turn_start", session);
  }
  const filler = { ...session, message: wire[format].answer(`All is read. ${prose(80, "done")}`) };
  await host.call("on_turn_end", filler);
  await host.call("on_turn_start", { ...session, messages: [wire[format].user(prose(100, "next"))] });
  await host.call("on_overflow", session);
  return { host, blockIds };
}

for (const format of MESSAGE_FORMATS) {
  describe(`content that left an ${format} context`, () => {
    it("is given back to the last byte, by block and by handle", async () => {
      const { host, blockIds } = await worked(format);
      const gone = host.published("block.evicted").map(({ block_id }) => block_id);
      expect(blockIds.filter((id) => gone.includes(id)).length, "most have left").toBeGreaterThan(5);
      for (const [index, block_id] of blockIds.entries()) {
        const byBlock = await host.call("content.recall", { ...session, block_id });
        expect(byBlock.content).toBe(TEXTS[index]);
        const byHandle = await host.call("content.recall", { ...session, handle: byBlock.handle });
        expect(byHandle.content).toBe(TEXTS[index]);
        expect(byHandle).toMatchObject({ type: "tool_result", tool_name: "read_file" });
      }
    });

    it("is given back after a restart too", async () => {
      const { host, blockIds } = await worked(format);
      const after = await host.restarted();
      for (const [index, block_id] of blockIds.entries()) {
        expect((await after.call("content.recall", { ...session, block_id })).content).toBe(TEXTS[index]);
      }
      await after.manager.stop();
    });
  });
}

describe("a recall", () => {
  it("of a result that was cut as it came gives the whole back", async () => {
    const { host, blockIds } = await worked("openai");
    const cut = host.published("block.truncated").map(({ block_id }) => block_id);
    expect(cut).toContain(blockIds.at(-1));
    const reply = await host.call("content.recall", { ...session, block_id: blockIds.at(-1) });
    expect(reply).toMatchObject({ content: TEXTS.at(-1), in_context: false });
  });

  it("by a phrase finds the newest text that holds it", async () => {
    const { host } = await worked("openai");
    expect((await host.call("content.recall", { ...session, query: "LINE ENDS" })).content).toBe(TEXTS[2]);
    const error = await refused(host.call("content.recall", { ...session, query: "never said" }), "content_not_found");
    expect(error.data["path"]).toBe("query");
  });

  it("of a block that is still there says so", async () => {
    const { host } = await worked("openai");
    const reply = await host.call("content.recall", { ...session, block_id: "b1" });
    expect(reply).toMatchObject({ in_context: true, content: "Mend it.", type: "user_message" });
  });

  it("needs one name for what it wants", async () => {
    const { host } = await worked("openai");
    await refused(host.call("content.recall", session), "invalid_params");
    await refused(host.call("content.recall", { ...session, block_id: "b1", query: "x" }), "invalid_params");
    const error = await refused(
      host.call("content.recall", { ...session, handle: "h-000000000000" }),
      "content_not_found",
    );
    expect(error.data["path"]).toBe("handle");
  });

  it("is told, with its size and not its text", async () => {
    const { host, blockIds } = await worked("openai");
    const before = host.events.length;
    const reply = await host.call("content.recall", { ...session, block_id: blockIds[3] });
    const told = host.events.slice(before);
    expect(told.map(({ type }) => type)).toEqual(["recall.served", "regret.detected"]);
    expect(told.map(({ type, data }) => ({ type, data })).slice(0, 1)).toEqual([
      {
        type: "recall.served",
        data: { handle: reply.handle, block_id: blockIds[3], bytes: Buffer.byteLength(TEXTS[3] as string) },
      },
    ]);
  });
});

describe("a search", () => {
  it("finds a phrase in what is there and in what has left, with its turns", async () => {
    const { host, blockIds } = await worked("openai");
    const { matches } = await host.call("content.search", { ...session, query: "lone" });
    expect(matches).toMatchObject([
      { block_id: blockIds[4], state: "evicted", excerpt: TEXTS[4], tool_name: "read_file" },
    ]);
    expect(matches[0]?.intervals).toMatchObject([{ from_turn: 5 }]);
    const task = await host.call("content.search", { ...session, query: "mend it" });
    expect(task.matches[0]).toMatchObject({
      block_id: "b1",
      state: "held",
      intervals: [{ from_turn: 1, to_turn: null }],
    });
  });
});
