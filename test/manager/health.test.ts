import { describe, expect, it } from "vitest";
import { MOST_TREND_ROWS } from "../../src/manager/trend.ts";
import { refused, TestManager } from "../support/manager.ts";

const session = { session_id: "s" };
const words = (count: number, at = 0) => Array.from({ length: count }, (_, each) => `word${at}x${each}`).join(" ");

/** A session whose agent reads a file a turn. `words`: of each file. */
async function reading(
  host: TestManager,
  { turns, size, from = 1 }: { readonly turns: number; readonly size: number; readonly from?: number },
) {
  const replies = [];
  for (let turn = from; turn < from + turns; turn++) {
    replies.push(
      await host.call("on_turn_start", {
        ...session,
        messages: turn === 1 ? [{ role: "user", content: "Read all files." }] : [],
      }),
    );
    const call = { id: `c${turn}`, type: "function", function: { name: "read", arguments: `{"path":"f${turn}"}` } };
    await host.call("on_turn_end", {
      ...session,
      message: { role: "assistant", content: "Next.", tool_calls: [call] },
    });
    await host.call("on_tool_result", {
      ...session,
      tool_call_id: `c${turn}`,
      tool_name: "read",
      content: words(size, turn),
    });
  }
  return replies;
}

async function opened(options: ConstructorParameters<typeof TestManager>[0] = {}, more: object = {}) {
  const host = new TestManager(options);
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 8000, ...more });
  return host;
}

describe("health rules", () => {
  it("raise the alert of a full window once, in the third turn, and the hooks tell it until the session ends", async () => {
    const host = await opened({}, { system: words(1850) });
    const replies = await reading(host, { turns: 5, size: 40 });
    const named = replies.map(({ alerts }) => alerts.map(({ alert }) => alert));
    expect(named[1]).not.toContain("ContextUtilizationCritical");
    for (const turn of [2, 3, 4]) expect(named[turn]).toContain("ContextUtilizationCritical");
    const raised = host.published("alert.raised").filter(({ alert }) => alert === "ContextUtilizationCritical");
    expect(raised).toMatchObject([
      { severity: "critical", turn: 3, summary: expect.stringMatching(/\d+ % of its window/) },
    ]);
    await host.call("session.close", session);
    expect(host.published("alert.resolved")).toContainEqual(
      expect.objectContaining({ alert: "ContextUtilizationCritical", severity: "critical" }),
    );
  });

  it("end their alert when they are switched off", async () => {
    const host = await opened({}, { system: words(1850) });
    await reading(host, { turns: 3, size: 40 });
    await host.call("session.configure", {
      ...session,
      settings: { health_monitoring: { disabled_rules: ["context_utilization_critical"] } },
    });
    const [reply] = await reading(host, { turns: 1, size: 40, from: 4 });
    expect(reply?.alerts.map(({ alert }) => alert)).not.toContain("ContextUtilizationCritical");
    expect(host.published("alert.resolved")).toMatchObject([{ summary: "Its rule is no longer on." }]);
  });

  it("go on after a restart as if there had been none", async () => {
    const host = await opened({ snapshotEvery: 7 });
    await reading(host, { turns: 30, size: 300 });
    const live = host.live("s");
    expect(live.health.passes.length).toBeGreaterThan(0);
    expect(live.snapshotPosition).toBeGreaterThan(0);
    const restored = await host.session("s");
    expect(restored.health).toEqual(live.health);
    expect(restored.alerts).toEqual(live.alerts);
  });
});

describe("the alert of an overflow", () => {
  const refusal = { provider_error: { message: "This model's maximum context length is 8000 tokens." } };

  it("is a warning while the turn goes on, and ends three turns later", async () => {
    const host = await opened();
    await reading(host, { turns: 6, size: 400 });
    expect((await host.call("on_overflow", { ...session, ...refusal })).action).toBe("retry");
    expect(host.published("alert.raised").filter(({ alert }) => alert === "ContextOverflow")).toMatchObject([
      { severity: "warning", turn: 6 },
    ]);
    const replies = await reading(host, { turns: 3, size: 10, from: 7 });
    const firing = replies.map(({ alerts }) => alerts.some(({ alert }) => alert === "ContextOverflow"));
    expect(firing).toEqual([true, true, false]);
  });

  it("becomes critical when the prompt is given up", async () => {
    const host = await opened();
    await reading(host, { turns: 1, size: 10 });
    let action = "";
    for (let attempt = 0; attempt < 4 && action !== "give_up"; attempt++) {
      action = (await host.call("on_overflow", { ...session, ...refusal })).action;
    }
    expect(action).toBe("give_up");
    const { alerts } = host.live("s");
    expect(alerts["ContextOverflow"]?.severity).toBe("critical");
    const told = host.events.filter(({ type }) => type.startsWith("alert.")).map(({ type, data }) => [type, data]);
    expect(told.at(-1)).toMatchObject(["alert.raised", { alert: "ContextOverflow", severity: "critical" }]);
    // An alert of another severity is another alert to those who are told: the first one has an end.
    if (told.length > 1) expect(told.at(-2)).toMatchObject(["alert.resolved", { severity: "warning" }]);
  });
});

describe("the alert of a refused checkpoint", () => {
  it("is raised although the call is refused, and ends when another is taken", async () => {
    const host = await opened();
    await reading(host, { turns: 2, size: 20 });
    await refused(host.call("checkpoint.load", { ...session, checkpoint: { nothing: 1 } }), "malformed_checkpoint");
    expect(host.published("alert.raised")).toMatchObject([
      { alert: "CheckpointRejected", severity: "warning", summary: "A checkpoint was refused: it is malformed." },
    ]);
    const other = { session_id: "other" };
    await host.call("session.open", { ...other, model: "gpt-4o", max_context_tokens: 8000 });
    for (const text of ["one", "two", "three"]) await host.call("note.write", { ...other, text });
    await host.call("checkpoint.save", other);
    await host.call("checkpoint.load", { ...session, from_session: "other" });
    expect(host.published("alert.resolved")).toMatchObject([{ summary: "Another checkpoint was taken." }]);
  });

  it("ends by itself when the session has gone on for ten turns", async () => {
    const host = await opened();
    await reading(host, { turns: 1, size: 5 });
    await refused(host.call("checkpoint.load", { ...session, checkpoint: {} }), "malformed_checkpoint");
    await reading(host, { turns: 10, size: 5, from: 2 });
    expect(host.published("alert.resolved")).toMatchObject([{ alert: "CheckpointRejected", turn: 11 }]);
  });
});

describe("trend.report", () => {
  it("tells each turn, and each edit before and after, with the figures over ten turns", async () => {
    const host = await opened();
    await reading(host, { turns: 30, size: 300 });
    const report = await host.call("trend.report", session);
    expect(report.points.filter(({ moment }) => moment === "turn").map(({ turn }) => turn)).toEqual(
      Array.from({ length: 30 }, (_, at) => at + 1),
    );
    const measured = host.published("pressure.measured").filter(({ moment }) => moment !== "within");
    expect(report.points.map(({ tokens }) => tokens)).toEqual(measured.map(({ tokens }) => tokens));
    const edit = report.points.findIndex(({ moment }) => moment === "edit");
    expect(report.points[edit]?.tokens).toBeLessThan(report.points[edit - 1]?.tokens as number);
    expect(report.now).toEqual(report.points.at(-1)?.metrics);
    expect(report.now.tool_result_bloat).toBeGreaterThan(0.1);
    expect(report).toMatchObject({ turn: 30, from_position: 1, total_points: measured.length });
    expect(report.rules.map(({ alert }) => alert)).toContain("FidelityLow");
  });

  it("loses no edit when it is asked for few points, and tells only the metrics asked for", async () => {
    const host = await opened();
    await reading(host, { turns: 40, size: 250 });
    const all = await host.call("trend.report", session);
    const edits = all.points.flatMap((point, at) =>
      point.moment === "edit" ? [all.points[at - 1]?.tokens, point.tokens] : [],
    );
    expect(edits.length).toBeGreaterThan(2);
    const few = await host.call("trend.report", { ...session, max_points: edits.length + 6, metrics: ["utilization"] });
    expect(few.points.length).toBeLessThanOrEqual(edits.length + 6);
    expect(few.points.length).toBeLessThan(all.points.length);
    const shown = few.points.map(({ tokens }) => tokens);
    for (const tokens of edits) expect(shown).toContain(tokens);
    expect(few.points.every(({ metrics }) => Object.keys(metrics).join() === "utilization")).toBe(true);
  });

  it("reads the journal in pages and no more of it than is bounded", async () => {
    const host = await opened();
    await reading(host, { turns: 3, size: 10 });
    const limits: number[] = [];
    const { journal } = host;
    const rows = journal.rows.bind(journal);
    journal.rows = (key, options) => {
      limits.push(options.limit);
      return rows(key, options);
    };
    await host.call("trend.report", session);
    expect(Math.max(...limits)).toBeLessThanOrEqual(500);
    expect(MOST_TREND_ROWS).toBe(20_000);
  });
});

it("session.close tells the figures of the whole life", async () => {
  const host = await opened();
  await reading(host, { turns: 20, size: 300 });
  const { completion } = await host.call("session.close", session);
  const utilizations = host
    .published("pressure.measured")
    .filter(
      ({ moment, turn }, at, all) =>
        moment !== "within" && all.slice(at + 1).every((next) => next.moment === "within" || next.turn !== turn),
    )
    .map(({ utilization }) => utilization);
  expect(completion.turns).toBe(20);
  expect(completion.utilization).toBeCloseTo(utilizations.reduce((sum, each) => sum + each, 0) / 20);
  expect(completion.worst_utilization).toBeCloseTo(Math.max(...utilizations));
  const blocks = host.published("block.evicted").length;
  expect(completion.eviction_rate).toBeCloseTo(blocks / 20);
});
