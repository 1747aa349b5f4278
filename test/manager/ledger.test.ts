import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { refused, TestManager } from "../support/manager.ts";
import { wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const TASK = "Find which connector drops invoices, and mend it.";

/** A listing of connectors: each line a name of its own with figures that stand nowhere else. */
const listing = (step: number) =>
  Array.from(
    { length: 18 },
    (_, row) =>
      `connector_${step}_${row}: queue /srv/queues/q${step * 31 + row * 7}.db depth ${4000 + step * 97 + row}`,
  ).join("\n");

async function worked(settings: JsonObject = {}, steps = 14): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 4_000, settings });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user(TASK)] });
  for (let step = 0; step < steps; step++) await work(host, step);
  return host;
}

async function work(host: TestManager, step: number) {
  const call = { id: `call_${step}`, name: "list", input: { page: step } };
  // Each step names a line of the last listing.
  const text = step === 0 ? "I look." : `Next, connector_${step - 1}_3 with /srv/queues/q${(step - 1) * 31 + 21}.db.`;
  await host.call("on_turn_end", { ...session, message: wire.openai.answer(text, [call]) });
  await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "list", content: listing(step) });
  return host.call("on_turn_start", session);
}

async function messagesOf(host: TestManager): Promise<string[]> {
  const { messages = [] } = await host.call("context.get", { ...session, include: ["messages"] });
  return (messages as JsonObject[]).map(({ content }) => String(content ?? ""));
}

/** The listings that left in the last turns, oldest first: the oldest leave first, whole. */
function left(host: TestManager) {
  const results = host.published("block.evicted").filter(({ block_type }) => block_type === "tool_result");
  const listings = results.map(({ block_id, turn }, step) => ({ block_id, turn, lines: listing(step).split("\n") }));
  return listings.filter(({ turn }) => host.live("s").turn - turn <= 8);
}

/** Lines of a listing that the context shows, in the ledger, and lines that it does not. */
async function split(host: TestManager, lines: readonly string[]) {
  const shown = new Set((await messagesOf(host)).flatMap((text) => text.split("\n")));
  return { carried: lines.filter((line) => shown.has(line)), lost: lines.filter((line) => !shown.has(line)) };
}

const say = (host: TestManager, text: string) =>
  host.call("on_turn_end", { ...session, message: wire.openai.answer(text) });
const goOn = (host: TestManager) => host.call("on_turn_start", { ...session, messages: [wire.openai.user("Go on.")] });

/** The agent recalls a listing that has left, and names what it knows of another that nothing shows any more. */
async function missed(host: TestManager): Promise<TestManager> {
  const [recalled, named] = left(host);
  await host.call("content.recall", { ...session, block_id: recalled?.block_id });
  const { lost } = await split(host, named?.lines ?? []);
  await say(host, `What of ${lost[0]}?`);
  await goOn(host);
  expect(host.published("regret.detected").map(({ kind }) => kind)).toEqual(["recall", "identifier"]);
  return host;
}

const isLedger = (text: string) => text.startsWith("<ledger ");
const rowsIn = (text: string) => text.split("\n").slice(1, -1);

describe("a pass", () => {
  it("puts whole lines of what has left right behind the task, and leaves the task as it was", async () => {
    const texts = await messagesOf(await worked());
    expect(texts[0]).toBe(TASK);
    const ledger = texts.filter(isLedger);
    expect(ledger.length).toBeGreaterThan(0);
    expect(texts.slice(1, 1 + ledger.length)).toEqual(ledger);
    const lines = new Set(Array.from({ length: 14 }, (_, step) => listing(step).split("\n")).flat());
    const rows = ledger.flatMap(rowsIn);
    expect(rows.filter((row) => lines.has(row)).length).toBeGreaterThan(5);
    const others = texts.filter((text) => !isLedger(text)).join("\n");
    for (const row of rows)
      expect(others.split("\n"), `${row} is carried though it is in the context`).not.toContain(row);
  });

  it("opens and closes a segment with a mark that its rows do not give away", async () => {
    const ledger = (await messagesOf(await worked())).filter(isLedger);
    for (const text of ledger) {
      const mark = /^<ledger ([0-9a-f]{6})> /.exec(text)?.[1];
      expect(mark).toBeDefined();
      expect(text.endsWith(`\n</ledger ${mark}>`)).toBe(true);
    }
  });

  it("tells in its reply and in its event what it wrote", async () => {
    const host = await worked({}, 0);
    let told = null;
    for (let step = 0; step < 14; step++) told = (await work(host, step)).ledger ?? told;
    const event = host.published("ledger.rebuilt").at(-1);
    expect(told).toMatchObject({ lines: event?.lines, tokens: event?.tokens_after, stable_kept: event?.stable_kept });
    const { messages = [], message_ids = [] } = await host.call("context.get", { ...session, include: ["messages"] });
    const held = message_ids.filter((_, at) => isLedger(String((messages[at] as JsonObject)["content"] ?? "")));
    expect(told?.message_ids).toEqual(held);
  });

  it("keeps within the share of the window that the ledger may take, and below orange", async () => {
    const host = await worked({ ledger: { share: 0.2 } }, 24);
    const rebuilt = host.published("ledger.rebuilt");
    expect(rebuilt.length).toBeGreaterThan(1);
    for (const { data } of host.events.filter(({ type }) => type === "history.compacted") as { data: JsonObject }[]) {
      expect(data["tokens_after"]).toBeLessThan(0.85 * 4_000);
    }
  });

  it("keeps the stable segment's message from pass to pass while it is good enough", async () => {
    const host = await worked({ ledger: { refresh_below: 0 } }, 30);
    const stable = host.published("ledger.rebuilt").map(({ stable_message_id }) => stable_message_id);
    expect(stable.length).toBeGreaterThan(2);
    expect(new Set(stable).size).toBe(1);
  });

  it("carries nothing over where the ledger is off", async () => {
    const host = await worked({ ledger: { enabled: false } });
    expect(host.published("block.evicted").length).toBeGreaterThan(0);
    expect((await messagesOf(host)).filter(isLedger)).toEqual([]);
  });

  it("carries nothing of what the agent took out of its own list", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 4_000 });
    const secret = "token_for_staging: zeta-7781-omega-4410 in /srv/vault/staging.key";
    const list: JsonObject[] = [wire.openai.user(TASK), wire.openai.user(`For now:\n${secret}`)];
    await host.call("on_turn_start", { ...session, history: list });
    list.splice(1, 1);
    for (let step = 0; step < 16; step++) {
      const call = { id: `call_${step}`, name: "list", input: { page: step } };
      list.push(
        wire.openai.answer("I look.", [call]),
        ...wire.openai.results([{ id: call.id, content: listing(step) }]),
      );
      await host.call("on_turn_start", { ...session, history: list });
    }
    const ledger = (await messagesOf(host)).filter(isLedger);
    expect(ledger.length).toBeGreaterThan(0);
    expect(ledger.join("\n")).not.toContain("zeta-7781");
  });
});

describe("the ledger", () => {
  it("is after a restart what it was, and the passes that follow write the same one", async () => {
    // The pass writes a snapshot: what was missed before it is known from there alone.
    const begun = async () => {
      const host = await missed(await worked({ ledger: { refresh_below: 1 } }, 12));
      const { position } = host.live("s");
      for (let step = 12; step < 15; step++) await work(host, step);
      expect(host.live("s").snapshotPosition).toBeGreaterThan(position);
      return host;
    };
    const told = await begun();
    const restarted = await told.restarted();
    expect(await messagesOf(restarted)).toEqual(await messagesOf(told));
    const straight = await begun();
    for (let step = 15; step < 28; step++) {
      await work(restarted, step);
      await work(straight, step);
      expect(await messagesOf(restarted), `after step ${step}`).toEqual(await messagesOf(straight));
    }
    expect(restarted.published("ledger.rebuilt").length).toBeGreaterThan(0);
    await restarted.manager.stop();
  });

  it("has what it carries used without regret, and what it does not carry is regretted", async () => {
    const host = await worked();
    const before = host.published("regret.detected").length;
    const told = () => host.published("regret.detected").slice(before);
    const listings = await Promise.all(
      left(host).map(async (each) => ({ ...each, ...(await split(host, each.lines)) })),
    );
    const halved = listings.find(({ carried, lost }) => carried.length > 0 && lost.length > 0);
    await say(host, `Then ${halved?.carried[0]} it is.`);
    expect(told()).toEqual([]);
    await goOn(host);
    await say(host, `Or ${halved?.lost[0]} after all.`);
    expect(told()).toMatchObject([{ kind: "identifier", block_id: halved?.block_id, tool_name: "list" }]);
  });

  it("is itself no content that can be missed: its own segments come and go without regret", async () => {
    const host = await worked({}, 30);
    const gone = host.published("ledger.rebuilt").flatMap(({ removed_message_ids }) => removed_message_ids);
    expect(gone.length).toBeGreaterThan(0);
    expect(host.live("s").regret.departures.filter(({ type }) => type === "summary")).toEqual([]);
    expect(host.published("regret.detected").filter(({ block_type }) => block_type === "summary")).toEqual([]);
  });

  it("carries more of what was recalled", async () => {
    const carried = async (recall: boolean) => {
      const host = await worked({ ledger: { refresh_below: 1 } }, 12);
      const block_id = left(host).at(-1)?.block_id;
      if (recall) await host.call("content.recall", { ...session, block_id });
      for (let step = 12; step < 18; step++) await work(host, step);
      return (await host.call("context.explain", { ...session, block_id })).lines_carried;
    };
    expect(await carried(true)).toBeGreaterThan(await carried(false));
  });

  it("takes no pin, and says what to pin instead", async () => {
    const host = await worked();
    const { blocks = [] } = await host.call("context.get", session);
    const block = blocks.find(({ type }) => type === "summary");
    const error = await refused(
      host.call("context.pin", { ...session, block_ids: [block?.block_id] }),
      "invalid_params",
    );
    expect(error.message).toContain("is the ledger");
    expect(error.data["path"]).toBe("block_ids[0]");
  });

  it("is named where an evicted block is explained", async () => {
    const host = await worked();
    const rows = new Set((await messagesOf(host)).filter(isLedger).flatMap(rowsIn));
    let carried = 0;
    for (const { block_id, block_type } of host.published("block.evicted")) {
      const reply = await host.call("context.explain", { ...session, block_id });
      if (block_type !== "tool_result") continue;
      carried += reply.lines_carried;
      if (reply.lines_carried > 0) expect(reply.sentence).toContain(`carries ${reply.lines_carried} of its lines`);
    }
    expect(carried).toBe([...rows].filter((row) => /^connector_\d+_\d+: /.test(row)).length);
  });
});
