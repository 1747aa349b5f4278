import { describe, expect, it } from "vitest";
import type { EventData, EventType } from "../../../src/model/events.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { publicData } from "../../../src/telemetry/event-stream/public-data.ts";
import { evictingManager } from "../../support/evicting-manager.ts";
import { refused, TestManager } from "../../support/manager.ts";
import { wire } from "../../support/wire-messages.ts";

const session = { session_id: "s" };

/** A listing of connectors: each line a name of its own with figures that stand nowhere else. */
const listing = (step: number) =>
  Array.from(
    { length: 18 },
    (_, row) =>
      `connector_${step}_${row}: queue /srv/queues/q${step * 31 + row * 7}.db depth ${4000 + step * 97 + row}`,
  ).join("\n");

async function worked(settings: JsonObject = {}, steps = 14, host = new TestManager()): Promise<TestManager> {
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 4_000, settings });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Find the connector that drops.")] });
  for (let step = 0; step < steps; step++) await work(host, step);
  return host;
}

async function work(host: TestManager, step: number, usage: JsonObject = {}) {
  const call = { id: `call_${step}`, name: "list", input: { path: `pages/${step}` } };
  const text = step === 0 ? "I look." : `Next, connector_${step - 1}_3 with /srv/queues/q${(step - 1) * 31 + 21}.db.`;
  await host.call("on_turn_end", { ...session, message: wire.openai.answer(text, [call]), ...usage });
  await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "list", content: listing(step) });
  return host.call("on_turn_start", session);
}

const lastPass = (host: TestManager) => String(host.published("history.compacted").at(-1)?.pass_id);
const explained = (host: TestManager, pass_id = lastPass(host)) => host.call("pass.explain", { ...session, pass_id });

/** Makes a pass by hand, in a call that does nothing else; a turn has gone by since the last one. */
async function compacted(steps = 13): Promise<{ host: TestManager; before: Awaited<ReturnType<typeof context>> }> {
  const host = await worked({}, steps);
  const passes = host.published("history.compacted").length;
  const before = await context(host);
  await host.call("context.compact", { ...session, target_utilization: 0.2 });
  expect(host.published("history.compacted")).toHaveLength(passes + 1);
  return { host, before };
}

/** The agent uses a name of which the pass took the line and nothing tells any more. Answers what is told of that. */
async function missed(host: TestManager, passId = lastPass(host)) {
  const { messages = [] } = await host.call("context.get", { ...session, include: ["messages"] });
  const text = JSON.stringify(messages);
  const told = await explained(host, passId);
  for (const { type, block_id } of told.taken) {
    if (type !== "tool_result") continue;
    const { original } = await host.call("content.get", { ...session, block_id });
    const name = original
      .split("\n")
      .flatMap((row) => /^connector_\d+_\d+/.exec(row) ?? [])
      .find((each) => !text.includes(each));
    if (name === undefined) continue;
    await host.call("on_turn_end", { ...session, message: wire.openai.answer(`What of ${name}?`) });
    const kept = (told.carried.ledger?.entries ?? []).flatMap(({ need }) => need ?? []);
    return { pass_id: told.pass_id, block_id, kept, ...(await regretOf(host, told.pass_id, block_id)) };
  }
  throw new Error("all that the pass took is still told");
}

async function regretOf(host: TestManager, passId: string, blockId: string) {
  const { taken } = await explained(host, passId);
  const regret = taken.find(({ block_id }) => block_id === blockId)?.regret.find(({ kind }) => kind === "identifier");
  if (!regret) throw new Error(`no identifier of ${blockId} was missed`);
  return regret;
}

/** From now on the journal answers rows as versions wrote them that did not have these fields. */
function asEarlier(host: TestManager, type: EventType, fields: readonly string[]): void {
  const rows = host.journal.rows.bind(host.journal);
  host.journal.rows = async (key, options) =>
    (await rows(key, options)).map((row) => {
      const body = JSON.parse(row.body) as { events: { type: string; data: JsonObject }[] };
      const events = body.events.map((event) => {
        const kept = Object.entries(event.data).filter(([name]) => event.type !== type || !fields.includes(name));
        return { ...event, data: Object.fromEntries(kept) };
      });
      return { ...row, body: JSON.stringify({ ...body, events }) };
    });
}

/** The blocks of the context as `context.get` has them, in what a pass tells of them. */
async function context(host: TestManager) {
  const { blocks = [] } = await host.call("context.get", session);
  return blocks.map(({ block_id, type, tool_name, turn, tokens, state }) => ({
    ...{ block_id, type, tool_name, turn, tokens, state },
  }));
}

const inShort = (blocks: Awaited<ReturnType<typeof explained>>["before"]) =>
  blocks.map(({ block_id, type, tool_name, turn, tokens, state }) => ({
    ...{ block_id, type, tool_name, turn, tokens, state },
  }));

describe("pass.explain", () => {
  it("tells the context before and after the pass as context.get told it then", async () => {
    const { host, before } = await compacted();
    const told = await explained(host);
    expect(inShort(told.before)).toEqual(before);
    expect(inShort(told.after)).toEqual(await context(host));
    expect(told.before).not.toEqual(told.after);
  });

  it("goes on telling it when the session has gone on", async () => {
    const { host } = await compacted();
    const then = await explained(host);
    for (let step = 20; step < 26; step++) await work(host, step);
    const now = await explained(host, then.pass_id);
    expect({ before: now.before, after: now.after }).toEqual({ before: then.before, after: then.after });
    expect(then.next_pass_id).toBeNull();
    expect(now.next_pass_id).toBe(`p${Number(then.pass_id.slice(1)) + 1}`);
    expect((await explained(host, now.next_pass_id ?? "")).previous_pass_id).toBe(then.pass_id);
  });

  it("tells why it was made, in the figures of its event", async () => {
    const host = await worked();
    const compacted = host.published("history.compacted").at(-1);
    const told = await explained(host);
    expect(told).toMatchObject({
      pass_id: compacted?.pass_id,
      cause: compacted?.cause,
      strategy: compacted?.strategy,
      tokens_before: compacted?.tokens_before,
      tokens_after: compacted?.tokens_after,
      gate: compacted?.gate,
      policy: "fifo",
      max_tokens: 4_000,
      window_number: 1,
      zone_before: host.published("pressure.measured").at(-2)?.zone,
      considered: { blocks: compacted?.considered_blocks, tokens: compacted?.considered_tokens },
    });
    expect(told.considered?.blocks).toBeGreaterThanOrEqual(told.taken.length);
    expect(told.zone_after).not.toBe("red");
    expect(told.turn).toBe(host.published("block.evicted").at(-1)?.turn);
  });

  it("tells each edit with its block, named by its call", async () => {
    const host = await worked();
    const told = await explained(host);
    const evicted = host.published("block.evicted").filter(({ pass_id }) => pass_id === told.pass_id);
    expect(told.taken.map(({ block_id }) => block_id)).toEqual(evicted.map(({ block_id }) => block_id));
    const blocks = new Set(evicted.map(({ block_id }) => block_id)).size;
    expect(host.published("history.compacted").at(-1)?.edits).toBe(blocks);
    const [result] = told.taken.filter(({ type }) => type === "tool_result");
    expect(result?.title).toMatch(/^list pages\/\d+$/);
    expect(result).toMatchObject({ component: "tool_results", tool_name: "list", method: "drop", tokens_after: 0 });
    expect(result?.signals.length).toBeGreaterThan(0);
  });

  it("tells of every row of the ledger the line of the original that it is", async () => {
    const host = await worked();
    const { carried } = await explained(host);
    const entries = carried.ledger?.entries ?? [];
    expect(entries.length).toBe(carried.ledger?.lines);
    expect(entries.filter(({ line }) => line !== null).length).toBeGreaterThan(5);
    for (const { text, block_id, line, need } of entries) {
      expect(need).toBeGreaterThan(0);
      if (block_id === null || line === null) continue;
      const { content } = await host.call("content.recall", { ...session, block_id });
      expect(content.split("\n")[line - 1]?.trim(), `${block_id}:${line}`).toBe(text.trim());
    }
    const needs = entries.map(({ need }) => need ?? 0);
    expect(carried.ledger?.cut_off).toBeLessThanOrEqual(Math.max(...needs));
  });

  it("keeps the source of a stable row from the pass that chose it", async () => {
    const host = await worked({ ledger: { refresh_below: 0 } }, 30);
    const rebuilt = host.published("ledger.rebuilt").filter(({ stable_kept }) => stable_kept);
    expect(rebuilt.length).toBeGreaterThan(2);
    const stable = rebuilt.map(({ entries }) => entries.filter(({ segment }) => segment === "stable"));
    for (const entries of stable) expect(entries).toEqual(stable[0]);
    const again = await host.restarted();
    for (let step = 40; step < 50; step++) await work(again, step);
    const later = again.published("ledger.rebuilt").at(-1);
    expect(later?.entries.filter(({ segment }) => segment === "stable")).toEqual(stable[0]);
  });

  it("tells what was needed again, with the identifier and the line that holds it", async () => {
    const host = await worked();
    const shown = (await host.call("context.get", { ...session, include: ["messages"] })).messages ?? [];
    const text = JSON.stringify(shown);
    const told = await explained(host);
    const result = told.taken.find(({ type }) => type === "tool_result");
    const { content } = await host.call("content.recall", { ...session, block_id: result?.block_id });
    const lost = content.split("\n").findIndex((line) => !text.includes(line.split(":")[0] ?? ""));
    const name = content.split("\n")[lost]?.split(":")[0] ?? "";
    await host.call("on_turn_end", { ...session, message: wire.openai.answer(`What of ${name}?`) });
    const needed = (await explained(host, told.pass_id)).taken.find(({ block_id }) => block_id === result?.block_id);
    expect(needed?.regret.map(({ kind, identifier, line }) => ({ kind, identifier, line }))).toEqual([
      { kind: "recall", identifier: null, line: null },
      { kind: "identifier", identifier: name, line: lost + 1 },
    ]);
  });

  it("tells what a missed line was expected to be needed, and what the ledger was cut off at", async () => {
    const host = await worked();
    const { need, line, cut_off, block_id, kept } = await missed(host);
    expect(line).toBeGreaterThan(0);
    expect(need).toBeGreaterThan(0);
    expect(cut_off).toBe(host.published("ledger.rebuilt").at(-1)?.cut_off);
    const event = host.published("regret.detected").at(-1);
    expect(event).toMatchObject({ kind: "identifier", block_id, line, need, cut_off });
    // What was kept of the same block is told on the same scale.
    expect(kept.every((each) => each > 0)).toBe(true);
    const sent = publicData("regret.detected", event as EventData["regret.detected"]);
    expect(sent).toMatchObject({ line, need, cut_off });
    expect(JSON.stringify(sent)).not.toContain("connector_");
  });

  it("tells no need where nothing estimated it: before the first ledger, and from a restart to the next pass", async () => {
    const without = await missed(await worked({ ledger: { enabled: false } }));
    expect(without).toMatchObject({ need: null, cut_off: null });
    expect(without.line).toBeGreaterThan(0);
    const host = await worked();
    const again = await host.restarted();
    const told = await missed(again, lastPass(host));
    expect(told).toMatchObject({ need: null, cut_off: null });
    expect(told.line).toBeGreaterThan(0);
    for (let step = 20; step < 26; step++) await work(again, step);
    expect((await missed(again)).need).toBeGreaterThan(0);
  });

  it("finds the line itself of a need that an earlier version told", async () => {
    const host = await worked();
    const now = await missed(host);
    asEarlier(host, "regret.detected", ["line", "need", "cut_off"]);
    const told = await regretOf(host, now.pass_id, now.block_id);
    expect(told).toMatchObject({ line: now.line, need: null, cut_off: null, identifier: now.identifier });
  });

  it("tells weights and thresholds as they were, though the settings have changed since", async () => {
    const weights = { recency: 3, priority: 1, type_ttl: 0, reference_freq: 0, semantic_duplication: 0 };
    const host = await worked({ eviction: { policy: "hybrid", weights, keep_recent_units: 1 } }, 20);
    const then = await explained(host);
    const thresholds = { yellow: 0.2, orange: 0.3, red: 0.4 };
    expect(then.thresholds).not.toEqual(thresholds);
    await host.call("session.configure", {
      ...session,
      settings: { eviction: { weights: { ...weights, recency: 1 } }, pressure: { thresholds } },
    });
    const now = await explained(host, then.pass_id);
    expect(now).toMatchObject({ recorded: true, thresholds: then.thresholds, taken: then.taken });
    const scored = now.taken.filter(({ signals }) => signals.length > 0);
    expect(scored.length).toBeGreaterThan(0);
    for (const { signals } of scored) {
      expect(signals.find(({ name }) => name === "recency")?.weight).toBe(0.75);
      expect(signals.find(({ name }) => name === "priority")?.weight).toBe(0.25);
    }
  });

  it("tells those in force now of a pass that an earlier version made, and says so", async () => {
    const weights = { recency: 3, priority: 1, type_ttl: 0, reference_freq: 0, semantic_duplication: 0 };
    const host = await worked({ eviction: { policy: "hybrid", weights, keep_recent_units: 1 } }, 20);
    const thresholds = { yellow: 0.2, orange: 0.3, red: 0.4 };
    await host.call("session.configure", {
      ...session,
      settings: { eviction: { weights: { ...weights, recency: 1 } }, pressure: { thresholds } },
    });
    asEarlier(host, "history.compacted", ["thresholds", "scoring"]);
    const told = await explained(host);
    expect(told).toMatchObject({ recorded: false, thresholds });
    const scored = told.taken.filter(({ signals }) => signals.length > 0);
    for (const { signals } of scored) expect(signals.find(({ name }) => name === "recency")?.weight).toBe(0.5);
  });

  it("records no weights where no policy chose, or its score is no weighted sum", async () => {
    const host = await worked({ eviction: { policy: "regret" } });
    expect(host.published("history.compacted").map(({ scoring }) => scoring)).toContain(null);
    const told = await explained(host);
    expect(told.taken.flatMap(({ signals }) => signals).every(({ weight, value }) => weight === value)).toBe(true);
    const aged = await worked();
    expect(aged.published("history.compacted").at(-1)?.scoring).toEqual({ policy: "fifo", weights: { recency: 1 } });
    await aged.call("window.open", session);
    expect(aged.published("history.compacted").at(-1)?.scoring).toBeNull();
  });

  it("tells how much of the prompt stayed as it was", async () => {
    const { host } = await compacted();
    const told = await explained(host);
    const at = told.after.findIndex((block, index) => block.block_id !== told.before[index]?.block_id);
    const sum = (blocks: typeof told.after) => blocks.reduce((total, { tokens }) => total + tokens, 0);
    expect(told.kept_prefix_tokens).toBe(sum(told.after.slice(0, at)));
    expect(told.kept_prefix_tokens + told.tokens_rewritten).toBe(sum(told.after));
  });

  it("measures the payback by what the provider reported, and forecasts it by the gate", async () => {
    const { host } = await compacted();
    const fresh = await explained(host);
    expect(fresh.payback?.points[0]?.measured).toBeNull();
    const { gate } = fresh;
    expect(fresh.payback?.points[2]?.forecast).toBeCloseTo(
      3 * (gate?.tokens_freed ?? 0) * (gate?.read_price ?? 0) - (gate?.cost ?? 0),
    );
    const usage = { input_tokens: 1_500, output_tokens: 10, cache_read_input_tokens: 1_400 };
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("So."), usage });
    const told = await explained(host, fresh.pass_id);
    expect(told.payback?.points.map(({ measured }) => measured !== null)).toEqual(
      told.payback?.points.map((_, index) => index === 0),
    );
    expect(told.payback?.points[0]?.turn).toBe(fresh.turn);
  });

  it("explains a pass that ends a window, which no gate weighs", async () => {
    const host = await worked();
    const before = await context(host);
    await host.call("window.open", session);
    const told = await explained(host);
    expect(told).toMatchObject({ cause: "window", gate: null, payback: null, policy: null, window_number: 1 });
    expect(inShort(told.before)).toEqual(before);
    expect(inShort(told.after)).toEqual(await context(host));
    expect(told.carried.standing?.text).toContain("window");
    expect(told.taken.every(({ score, policy }) => score === null && policy === null)).toBe(true);
  });

  it("explains truncations, summaries and merges, with what of them stands", async () => {
    const { host, order } = evictingManager();
    await worked({}, 3, host);
    const [first, second, third] = [...host.live("s").blocks.values()].filter(({ type }) => type === "tool_result");
    const before = await context(host);
    order.push({ blockId: String(first?.id), text: "short", method: "truncate" });
    order.push({ blockId: String(second?.id), text: "shorter", method: "summarize" });
    order.push({ blockId: String(third?.id), text: "same", method: "merge" });
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("On.") });
    await host.call("on_turn_start", session);
    const told = await explained(host);
    expect(told.taken.map(({ block_id, method, generation }) => ({ block_id, method, generation }))).toEqual([
      { block_id: first?.id, method: "truncate", generation: 0 },
      { block_id: second?.id, method: "summarize", generation: 1 },
      { block_id: third?.id, method: "merge", generation: 1 },
    ]);
    expect(told.taken[2]).toMatchObject({ into_block_id: "b1", signals: [{ name: "similarity", value: 0.9 }] });
    expect(inShort(told.before).slice(0, before.length)).toEqual(before);
    expect(inShort(told.after)).toEqual(await context(host));
  });

  it("shows results that came in as placeholders as what they are", async () => {
    const host = new TestManager();
    await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 4_000 });
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Go.")] });
    const call = { id: "gone", name: "list", input: { path: "old" } };
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("Look.", [call]) });
    const content = "[Old tool result content cleared]";
    await host.call("on_tool_result", { ...session, tool_call_id: "gone", tool_name: "list", content });
    for (let step = 0; step < 5; step++) await work(host, step);
    const before = await context(host);
    expect(before.some(({ state }) => state === "cleared")).toBe(true);
    await host.call("context.compact", { ...session, target_utilization: 0.3 });
    expect(inShort((await explained(host)).before)).toEqual(before);
  });

  it("is the same after a restart, and of a closed session", async () => {
    const host = await worked();
    const told = await explained(host);
    const again = await host.restarted();
    expect(await again.call("pass.explain", { ...session, pass_id: told.pass_id })).toEqual(told);
    await again.call("session.close", session);
    expect(await again.call("pass.explain", { ...session, pass_id: told.pass_id })).toEqual(told);
  });

  it("changes nothing and tells no regret", async () => {
    const host = await worked();
    const { position } = host.live("s");
    await explained(host);
    expect(host.live("s").position).toBe(position);
  });

  it("refuses a pass that there is not, and answers nobody of another tenant", async () => {
    const host = await worked();
    const unknown = host.call("pass.explain", { ...session, pass_id: "p99" });
    expect((await refused(unknown, "content_not_found")).data["path"]).toBe("pass_id");
    const stranger = host.call("pass.explain", { ...session, pass_id: lastPass(host) }, "another");
    await refused(stranger, "session_not_found");
  });
});
