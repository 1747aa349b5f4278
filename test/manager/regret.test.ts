import { beforeEach, describe, expect, it } from "vitest";
import type { AnyCommand } from "../../src/manager/commands/command.ts";
import { commands } from "../../src/manager/commands/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { MESSAGE_FORMATS } from "../../src/model/message.ts";
import { dropping, evictingManager, type OrderedEdit } from "../support/evicting-manager.ts";
import { TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const write = wire.openai;

let host: TestManager;
let order: OrderedEdit[];
let calls: number;

beforeEach(async () => {
  ({ host, order } = evictingManager({ snapshotEvery: 4 }));
  calls = 0;
  await open();
});

async function open(params: JsonObject = {}): Promise<void> {
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 100_000, ...params });
  await host.call("on_turn_start", { ...session, messages: [write.user("Mend the parser.")] });
}

/** A step that reads a file; answers the result's block. The next turn has begun. */
async function read(path: string, content: string, isError = false): Promise<string> {
  const id = `call_${++calls}`;
  const message = write.answer("", [{ id, name: "read_file", input: { path } }]);
  await host.call("on_turn_end", { ...session, message });
  const result = { tool_call_id: id, tool_name: "read_file", content, is_error: isError };
  const { block_id } = await host.call("on_tool_result", { ...session, ...result });
  await host.call("on_turn_start", session);
  return block_id;
}

/** The step of the block leaves at the next turn's start. */
async function drop(...blockIds: string[]): Promise<void> {
  order.push(...dropping(host.live("s"), ...blockIds));
  await pass(1);
}

/** Turns in which nothing is said that left. */
async function pass(turns: number): Promise<void> {
  for (let n = 0; n < turns; n++) {
    await host.call("on_turn_end", { ...session, message: write.answer("I think on.") });
    await host.call("on_turn_start", { ...session, messages: [write.user("Go on.")] });
  }
}

async function say(text: string, ...input: JsonObject[]): Promise<void> {
  const named = input.map((each) => ({ id: `call_${++calls}`, name: "read_file", input: each }));
  await host.call("on_turn_end", { ...session, message: write.answer(text, named) });
}

const told = () => host.published("regret.detected").map(({ kind, block_id }) => `${kind} ${block_id}`);

describe("an identifier used", () => {
  it("after its block has left is told with all that is known of the departure", async () => {
    const blockId = await read("a.ts", "const parse_header = 1;");
    await drop(blockId);
    await pass(2);
    await say("I call parse_header again.");
    expect(host.published("regret.detected")).toEqual([
      {
        kind: "identifier",
        block_id: blockId,
        block_type: "tool_result",
        tool_name: "read_file",
        identifier: "parse_header",
        line: 1,
        need: null,
        cut_off: null,
        policy: "ordered",
        pass_id: "p3",
        evicted_turn: 3,
        turn: 5,
        turns_since: 2,
      },
    ]);
  });

  it("in the arguments of a call counts as well, and is told once", async () => {
    const blockId = await read("a.ts", "const parse_header = 1; const parse_body = 2;");
    await drop(blockId);
    await say("", { path: "src/parse_header" });
    await host.call("on_tool_result", {
      ...session,
      tool_call_id: `call_${calls}`,
      tool_name: "read_file",
      content: "ok",
    });
    await host.call("on_turn_start", session);
    await say("And parse_body now, and again parse_header.");
    expect(told()).toEqual([`identifier ${blockId}`]);
  });

  it("in thinking does not count", async () => {
    const blockId = await read("a.ts", "const parse_header = 1;");
    await drop(blockId);
    await host.call("on_turn_end", { ...session, message: write.answer("Hm.", [], "What of parse_header?") });
    expect(told()).toEqual([]);
  });

  it("while a live block holds it is none: an older one, a user's word, one in the same call", async () => {
    const first = await read("a.ts", "const parse_header = 1; const parse_body = 2;");
    await read("b.ts", "import { parse_header } from a");
    await drop(first);
    await host.call("on_turn_end", { ...session, message: write.answer("I look.") });
    await host.call("on_turn_start", { ...session, messages: [write.user("What does parse_body do?")] });
    await say("parse_header and parse_body are the same.");
    expect(told()).toEqual([]);
  });

  it("that the placeholder shows is none, and one that it does not show is one", async () => {
    const blockId = await read("a.ts", "const parse_header = 1; const parse_body = 2;");
    order.push({ blockId, text: "[cleared: parse_header]" });
    await pass(1);
    await say("parse_header it is.");
    expect(told()).toEqual([]);
    await host.call("on_turn_start", { ...session, messages: [write.user("Go on.")] });
    await say("parse_body it is.");
    expect(told()).toEqual([`identifier ${blockId}`]);
  });

  it.each(["merge", "truncate"] as const)("counts what a %s took, and not what it left", async (method) => {
    const blockId = await read("a.ts", "const parse_header = 1;\nconst parse_body = 2;\nconst parse_tail = 3;");
    order.push({ blockId, text: "const parse_header = 1; [cut]", method });
    await pass(1);
    await say("parse_header it is.");
    expect(told()).toEqual([]);
    await host.call("on_turn_start", { ...session, messages: [write.user("Go on.")] });
    await say("parse_tail it is.");
    expect(host.published("regret.detected")).toMatchObject([
      { kind: "identifier", block_id: blockId, policy: method === "truncate" ? "cascade" : "ordered" },
    ]);
  });

  it("of what a placeholder held counts from the turn in which the placeholder leaves", async () => {
    const blockId = await read("a.ts", "const parse_header = 1; const parse_body = 2;");
    order.push({ blockId, text: "[cleared: parse_header]" });
    await pass(8);
    await drop(blockId);
    await pass(5);
    await say("parse_body left long ago.");
    expect(told()).toEqual([]);
    await host.call("on_turn_start", { ...session, messages: [write.user("Go on.")] });
    await say("parse_header did not.");
    expect(host.published("regret.detected")).toMatchObject([{ block_id: blockId, evicted_turn: 11, turns_since: 6 }]);
  });

  it.each([
    [10, 1],
    [11, 0],
  ])("%i turns after it left is told %i times", async (turns, times) => {
    const blockId = await read("a.ts", "const parse_header = 1;");
    await drop(blockId);
    await pass(turns);
    await say("I call parse_header again.");
    expect(told()).toHaveLength(times);
  });

  it("that many evicted blocks held is a common word", async () => {
    const blockIds: string[] = [];
    for (let n = 0; n < 7; n++) blockIds.push(await read(`part_${n}.ts`, `parse_header unique_name_${n}`));
    await drop(...blockIds);
    await say("I call parse_header and unique_name_3.");
    expect(told()).toEqual([`identifier ${blockIds[3]}`]);
  });

  it("from a text that was cut as it came in is none: it has not been there", async () => {
    await host.call("session.configure", { ...session, settings: { compression: { ingest_max_tokens: 64 } } });
    await read("a.ts", `${prose(200, "head")} const parse_header = 1; ${prose(200, "tail")}`);
    expect(host.published("block.truncated")).toHaveLength(1);
    await say("I call parse_header.");
    expect(told()).toEqual([]);
  });

  it("is told alike, however the message comes", async () => {
    const message = write.answer("I call parse_header again.");
    const ways: Record<string, () => Promise<unknown>> = {
      on_turn_end: () => host.call("on_turn_end", { ...session, message }),
      messages: () => host.call("on_turn_start", { ...session, messages: [message, write.user("And?")] }),
      append: () => host.call("context.append", { ...session, messages: [message] }),
      history: async () => {
        const { messages = [] } = await host.call("context.get", { ...session, include: ["messages"] });
        const call = { id: "later", name: "read_file", input: { path: "c.ts" } };
        const history = [
          ...messages,
          message,
          write.user("And?"),
          write.answer("", [call]),
          // What comes behind the message does not speak for it.
          ...write.results([{ id: "later", content: "parse_header" }]),
        ];
        await host.call("on_turn_start", { ...session, history });
      },
    };
    for (const [name, way] of Object.entries(ways)) {
      ({ host, order } = evictingManager());
      await open();
      const blockId = await read("a.ts", "const parse_header = 1;");
      await drop(blockId);
      await way();
      expect(told(), name).toEqual([`identifier ${blockId}`]);
    }
  });
});

describe("a call made again", () => {
  it("after its result has left is a re-read, whatever the order of its arguments", async () => {
    await say("", { path: "it", from: 1 });
    const result = { tool_call_id: `call_${calls}`, tool_name: "read_file", content: "const a = 1" };
    const { block_id } = await host.call("on_tool_result", { ...session, ...result });
    await host.call("on_turn_start", session);
    await drop(block_id);
    await say("", { from: 1, path: "it" });
    expect(told()).toEqual([`reread ${block_id}`]);
  });

  it("is none with other arguments, of a failed call, or while another result of it stands", async () => {
    const other = await read("a.ts", "one");
    const failed = await read("b.ts", "two", true);
    const older = await read("c.ts", "three");
    await read("c.ts", "four");
    await drop(other, failed, older);
    await say("", { path: "d.ts" }, { path: "b.ts" }, { path: "c.ts" });
    expect(told().filter((each) => each.startsWith("reread"))).toEqual([]);
  });

  it("of a result that was cleared or truncated is one, though its call still stands", async () => {
    const cleared = await read("a.ts", "one");
    const truncated = await read("b.ts", "two and more");
    order.push({ blockId: cleared, text: "[cleared]" }, { blockId: truncated, text: "two [cut]", method: "truncate" });
    await pass(1);
    await say("", { path: "a.ts" }, { path: "b.ts" });
    expect(told()).toEqual([`reread ${cleared}`, `reread ${truncated}`]);
  });

  it("is none where the agent's own list tells of it once more", async () => {
    const call = { id: "c1", name: "read_file", input: { path: "a.ts" } };
    const list = [write.user("Mend the parser."), write.answer("", [call])];
    list.push(...write.results([{ id: "c1", content: "const parse_header = 1" }]), write.answer("Done."));
    ({ host, order } = evictingManager());
    await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 100_000 });
    await host.call("on_turn_start", { ...session, history: [...list, write.user("Go on.")] });
    const result = [...host.live("s").blocks.values()].find((block) => block.part.kind === "tool_result");
    order.push(...dropping(host.live("s"), result?.id ?? ""));
    await host.call("on_turn_end", { ...session, message: write.answer("I go on.") });
    await host.call("on_turn_start", { ...session, messages: [write.user("On.")] });
    // The agent has put something of its own before the step: all behind it is taken in anew.
    const rewritten = [
      list[0],
      write.user("A word in between."),
      ...list.slice(1),
      write.user("Go on."),
      write.answer("I go on."),
      write.user("On."),
    ] as JsonObject[];
    await host.call("on_turn_start", { ...session, history: rewritten });
    const calledAgain = host.published("block.added").filter(({ tool }) => tool?.callId === "c1");
    expect(calledAgain.length, "the step came in again").toBeGreaterThan(2);
    expect(told()).toEqual([]);
  });
});

describe("a recall", () => {
  it("of what lately left is told once, by whatever name it was asked for", async () => {
    const blockIds = [await read("a.ts", "alpha one"), await read("b.ts", "beta two"), await read("c.ts", "gamma")];
    const { handle } = await host.call("context.explain", { ...session, block_id: blockIds[0] });
    await drop(...blockIds);
    await host.call("content.recall", { ...session, handle });
    await host.call("content.recall", { ...session, handle });
    await host.call("content.recall", { ...session, block_id: blockIds[1] });
    await host.call("content.recall", { ...session, query: "gamma" });
    expect(told()).toEqual(blockIds.map((id) => `recall ${id}`));
  });

  it("of what is still there, or left long ago, is no regret", async () => {
    const live = await read("a.ts", "alpha one");
    const gone = await read("b.ts", "beta two");
    await drop(gone);
    await pass(11);
    await host.call("content.recall", { ...session, block_id: live });
    await host.call("content.recall", { ...session, block_id: gone });
    expect(host.published("recall.served")).toHaveLength(2);
    expect(told()).toEqual([]);
  });
});

describe("what is said of regret", () => {
  it("by context.explain is how and when the block was needed again", async () => {
    const blockId = await read("a.ts", "const parse_header = 1;");
    const kept = await read("b.ts", "nothing");
    await drop(blockId);
    const before = await host.call("context.explain", { ...session, block_id: blockId });
    expect(before.regret).toEqual([]);
    await pass(2);
    await say("parse_header, once more", { path: "a.ts" });
    const reply = await host.call("context.explain", { ...session, block_id: blockId });
    expect(reply.regret).toEqual([
      { kind: "reread", turn: 6, turns_since: 2 },
      { kind: "identifier", turn: 6, turns_since: 2 },
    ]);
    expect(reply.sentence.startsWith(before.sentence)).toBe(true);
    expect(reply.sentence).toContain("Needed again at turn 6, having left at turn 4: its tool call was made again.");
    expect((await host.call("context.explain", { ...session, block_id: kept })).regret).toEqual([]);
  });

  it("by session.get is the share of evicted blocks, by tool and type, also after a restart", async () => {
    const blockIds = [await read("a.ts", "parse_header"), await read("b.ts", "parse_body")];
    await drop(...blockIds);
    await say("parse_header");
    const { regret } = await host.call("session.get", session);
    expect(regret).toMatchObject({ evicted_blocks: 4, regretted_blocks: 1 });
    expect(regret.groups).toMatchObject([
      { tool_name: "read_file", block_type: "tool_result", evicted_blocks: 2, regretted_blocks: 1 },
      { tool_name: "read_file", block_type: "assistant_response", evicted_blocks: 2, regretted_blocks: 0 },
    ]);
    const [results, calledFor] = regret.groups.map(({ need_factor }) => need_factor);
    expect(results).toBeGreaterThan(1);
    expect(calledFor).toBeLessThan(1);
    const after = await host.restarted();
    expect((await after.call("session.get", session)).regret).toEqual(regret);
    await after.manager.stop();
  });

  it("to the scorer regret keeps what is like what was needed again", async () => {
    await host.call("session.configure", { ...session, settings: { eviction: { policy: "regret" } } });
    const again = await read("a.ts", "parse_header");
    const [explained] = await Promise.all([host.call("context.explain", { ...session, block_id: again })]);
    const left = [await read("b.ts", "parse_body"), await read("c.ts", "parse_tail")];
    await drop(...left);
    await say("parse_body and parse_tail");
    const after = await host.call("context.explain", { ...session, block_id: again });
    const shareOf = ({ standing }: typeof after) =>
      (standing?.score_parts["reneed"] ?? 0) / (1 - (standing?.score_parts["recency"] ?? 0) || 1);
    expect(explained.standing?.policy).toBe("regret");
    expect(shareOf(after)).toBeGreaterThan(0.25);
  });
});

describe.each(MESSAGE_FORMATS)("in %s", (format) => {
  it("passes of a real policy are regretted when their files are named or read again", async () => {
    const say = wire[format];
    const own = { session_id: format };
    await host.call("session.open", {
      ...own,
      model: "gpt-4o",
      message_format: format,
      max_context_tokens: 3_000,
      settings: { eviction: { policy: "fifo", keep_recent_units: 1 } },
    });
    await host.call("on_turn_start", { ...own, messages: [say.user("Mend the parser.")] });
    for (let step = 0; step < 12; step++) {
      const call = { id: `c${step}`, name: "bash", input: { command: `cat part_${step % 6}.ts` } };
      const text = `Now value_${Math.max(0, step - 5)}_end.`;
      await host.call("on_turn_end", { ...own, message: say.answer(text, [call]) });
      const content = `${prose(200, `step ${step}`)} value_${step}_end`;
      await host.call("on_tool_result", { ...own, tool_call_id: call.id, tool_name: "bash", content });
      await host.call("on_turn_start", own);
    }
    const kinds = new Set(host.published("regret.detected").map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["identifier", "reread"]);
    for (const { policy, turns_since, pass_id } of host.published("regret.detected")) {
      expect(policy).toBe("fifo");
      expect(turns_since).toBeLessThanOrEqual(10);
      expect(pass_id).toMatch(/^p\d+$/);
    }
  });
});

describe("what leaves in a pass", () => {
  it("is not read before the call is answered: a pass of many edits costs no more for it", async () => {
    const waiting: number[] = [];
    const real: AnyCommand = commands.on_turn_start;
    const watched: AnyCommand = {
      ...real,
      decide(hook, params, given) {
        const reply: unknown = real.decide(hook, params, given);
        waiting.push(hook.services.analysis.regret.index.waiting);
        return reply;
      },
    };
    host = new TestManager({ seeded: { on_turn_start: watched } });
    await open({ max_context_tokens: 3_000, settings: { eviction: { policy: "fifo", keep_recent_units: 1 } } });
    for (let step = 0; step < 8; step++) await read(`part_${step}.ts`, prose(200, `step ${step}`));
    expect(Math.max(...waiting)).toBeGreaterThan(3);
  });
});

describe("a message that names everything", () => {
  it("is told of a hundred blocks at most", async () => {
    const blockIds: string[] = [];
    for (let n = 0; n < 120; n++) blockIds.push(await read(`${n}.ts`, `unique_name_${n}`));
    await drop(...blockIds);
    await say(blockIds.map((_, n) => `unique_name_${n}`).join(" "));
    expect(told()).toHaveLength(100);
  });
});
