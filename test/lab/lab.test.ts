import { afterEach, describe, expect, test } from "vitest";
import { NO_PLUGINS } from "../../src/config/index.ts";
import { Lab } from "../../src/lab/index.ts";
import type { ReplayRequest } from "../../src/lab/lab.ts";
import { recordedText } from "../../src/lab/recorded-text.ts";
import { ContextdError } from "../../src/model/errors.ts";
import { Replayer } from "../../src/replay/replay.ts";
import { reportOf } from "../../src/replay/report.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { configWith } from "../config/config-with.ts";
import { playRun } from "../shadow/recorded-agent.ts";
import { TENANT, TestManager } from "../support/manager.ts";
import { RecordingLog } from "../support/recording-log.ts";

const config = configWith();
const POLICIES = ["plain_sliding", "hybrid", "none"];

/** A lab beside a manager whose sessions are in memory. */
class Bench {
  readonly journal = new MemoryJournal();
  readonly host = new TestManager({ checkReplies: false, config, journal: this.journal });
  readonly log = new RecordingLog();
  readonly lab = new Lab({
    config: () => config,
    plugins: NO_PLUGINS,
    manager: this.host.manager,
    journal: this.journal,
    clock: this.host.clock,
    log: this.log,
  });

  async done(request: ReplayRequest = {}) {
    const replay = this.lab.run(TENANT, { policies: POLICIES, window: "6k", ...request });
    await replay.settled();
    return replay;
  }

  text(id: string): Promise<string> {
    return recordedText(this.journal, { tenant: TENANT, id });
  }
}

let bench = new Bench();
afterEach(async () => {
  await bench.lab.stop();
  await bench.host.manager.stop();
  bench = new Bench();
});

function refusal(act: () => unknown): Pick<ContextdError, "reason" | "message" | "data"> {
  try {
    act();
  } catch (error) {
    if (error instanceof ContextdError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("a replay of the lab", () => {
  test("finds what `contextd replay` finds in the exported sessions", async () => {
    await playRun(bench.host, { session_id: "long" });
    await playRun(bench.host, { session_id: "short", turns: 30, max_context_tokens: 20_000 });
    const replay = await bench.done();
    expect(replay).toMatchObject({ status: "done", failures: [], progress: { done: 2, total: 2, run: null } });
    const options = { policies: POLICIES, windows: ["6k"], count: "o200k_base", model: null, format: null } as const;
    const replayer = new Replayer(options, { config, plugins: NO_PLUGINS });
    const runs = [];
    for (const id of ["long", "short"]) runs.push(await replayer.replay(await bench.text(id), id));
    const report = reportOf(options, runs, []);
    expect(replay.report?.policies).toHaveLength(3);
    for (const own of report.results) {
      const found = replay.report?.policies.find(({ policy }) => policy === own.policy);
      expect(found).toMatchObject({ runs: own.runs, tokens_sent: own.tokens_sent });
      expect(found?.line_recall).toEqual(own.line);
      expect(found?.far_recall).toEqual(own.far);
      expect(found?.grounded_recall).toEqual(own.grounded);
      expect(found?.value_recall).toEqual(own.value);
      expect(found?.relative_cost).toEqual(own.cost);
      expect(found?.needed_again).toEqual(own.regret_share);
    }
    const pairs = new Map(replay.report?.pairs.map((pair) => [pair.figure, pair.difference]));
    const hybrid = report.results.find(({ policy }) => policy === "hybrid");
    expect(pairs.get("line_recall")).toEqual(hybrid?.difference?.line);
    expect(pairs.get("grounded_recall")).toEqual(hybrid?.difference?.grounded);
    expect(pairs.get("relative_cost")).toEqual(hybrid?.difference?.cost);
    const wire = report.replays.find(({ id, policy }) => id === "long" && policy === "hybrid");
    const timeline = replay.report?.timelines.get("long");
    expect(timeline?.b).toMatchObject({
      policy: "hybrid",
      line_recall: wire?.line,
      tokens: wire?.timeline.tokens,
      edits: wire?.timeline.edits,
      lost: wire?.timeline.lost,
      thresholds: wire?.timeline.zones,
      window_tokens: 6000,
    });
    expect(timeline?.b.edits).toHaveLength(wire?.edited_requests ?? -1);
    expect(timeline?.b.lost.length).toBeGreaterThan(0);
  });

  test("says of each figure whether B is better, and lists the runs worst for B first", async () => {
    for (const [id, turns] of [
      ["a", 40],
      ["b", 60],
      ["c", 81],
    ] as const) {
      await playRun(bench.host, { session_id: id, turns, agent: id });
    }
    const replay = await bench.done({ policies: ["none", "plain_sliding"] });
    const verdicts = Object.fromEntries(replay.report?.pairs.map(({ figure, verdict }) => [figure, verdict]) ?? []);
    expect(verdicts).toMatchObject({ line_recall: "worse", edits_per_100_turns: "worse", mean_utilization: "better" });
    const differences = replay.report?.runs.map(({ difference }) => difference ?? 0) ?? [];
    expect(differences).toHaveLength(3);
    expect(differences).toEqual([...differences].sort((one, other) => one - other));
    for (const { a, b, difference } of replay.report?.runs ?? []) expect(difference).toBe((b ?? 0) - (a ?? 0));
    for (const { compared_turns, same_turns } of replay.report?.runs ?? []) {
      expect(compared_turns).toBeGreaterThan(0);
      expect(same_turns).toBe(0);
    }
    for (const { a, b } of replay.report?.timelines.values() ?? []) {
      const { mean_utilization, peak_utilization, tokens, window_tokens } = b;
      expect(mean_utilization).toBeCloseTo(
        tokens.reduce((sum, own) => sum + own, 0) / tokens.length / window_tokens,
        9,
      );
      expect(peak_utilization).toBeLessThanOrEqual(1);
      expect(a.mean_utilization).toBeGreaterThan(mean_utilization);
      expect(a.peak_utilization).toBeGreaterThan(1);
    }
  });

  test("tells that two policies sent the same contexts, and how often two others did", async () => {
    await playRun(bench.host, { session_id: "long" });
    const replay = await bench.done({ policies: [config.eviction.policy, `profile:${config.profile}`] });
    const [run] = replay.report?.runs ?? [];
    expect(run?.compared_turns).toBeGreaterThan(10);
    expect(run?.same_turns).toBe(run?.compared_turns);
    const others = await bench.done({ policies: ["fifo", "hybrid"] });
    const [mostly] = others.report?.runs ?? [];
    const { a, b } = others.report?.timelines.get("long") ?? {};
    const alike = a?.tokens.filter((tokens, turn) => turn >= (a.edits[0] ?? 0) && tokens === b?.tokens[turn]).length;
    expect(mostly?.same_turns).toBeLessThanOrEqual(alike ?? 0);
  });

  test("in its own window replays a session as large as it was, and says where that does not bind", async () => {
    await playRun(bench.host, { session_id: "small", max_context_tokens: 9000 });
    await playRun(bench.host, { session_id: "roomy", max_context_tokens: 200_000, turns: 20 });
    const replay = await bench.done({ window: "own" });
    expect(replay.report?.runs.map(({ id }) => id)).toEqual(["small"]);
    expect(replay.report?.runs[0]?.window_tokens).toBeLessThan(9000);
    expect(replay.report?.skipped).toEqual([{ id: "roomy", reason: "window_does_not_bind" }]);
  });

  test("takes the longest sessions where none is named", async () => {
    await playRun(bench.host, { session_id: "short", turns: 5 });
    await playRun(bench.host, { session_id: "long", turns: 30 });
    const replay = await bench.done({ policies: ["none", "fifo"] });
    expect(replay.terms.sessionIds).toEqual(["long", "short"]);
  });

  test("goes on without a run that has nothing to replay", async () => {
    await bench.host.call("session.open", { session_id: "empty" });
    await playRun(bench.host, { session_id: "long", turns: 40 });
    const replay = await bench.done({ sessionIds: ["empty", "long"] });
    expect(replay).toMatchObject({ status: "done", failures: [{ id: "empty", reason: "invalid_params" }] });
    expect(replay.report?.runs).toHaveLength(1);
  });
});

describe("what runs at once", () => {
  test("is one replay of a tenant, which the refusal names, until it is cancelled", async () => {
    await playRun(bench.host, { session_id: "s" });
    const replay = bench.lab.run(TENANT, { policies: POLICIES });
    const refused = refusal(() => bench.lab.run(TENANT, {}));
    expect(refused).toMatchObject({ reason: "rate_limited", data: { replay_id: replay.id } });
    expect(refused.message).toContain(replay.id);
    await replay.cancel();
    expect(replay).toMatchObject({ status: "cancelled", report: null, fault: null, progress: { done: 0, total: 1 } });
    expect(await bench.done({ policies: ["none", "fifo"] })).toMatchObject({ status: "done" });
    expect(replay.status).toBe("cancelled");
    expect(bench.log.lines).toEqual([]);
  });

  test("ends with the daemon", async () => {
    await playRun(bench.host, { session_id: "s" });
    const replay = bench.lab.run(TENANT, {});
    await bench.lab.stop();
    expect(replay.status).toBe("cancelled");
    expect(refusal(() => bench.lab.run(TENANT, {}))).toMatchObject({ reason: "draining" });
  });

  test("begins once for one idempotency key", async () => {
    await playRun(bench.host, { session_id: "s", turns: 20 });
    const first = await bench.done({ idempotencyKey: "k" });
    expect(bench.lab.run(TENANT, { idempotencyKey: "k" })).toBe(first);
    expect(await bench.done({ idempotencyKey: "another" })).not.toBe(first);
  });
});

describe("what is kept", () => {
  test("are the last eight replays, for their tenant alone", async () => {
    await playRun(bench.host, { session_id: "s", turns: 3 });
    const ids: string[] = [];
    for (let n = 0; n < 9; n++) ids.push((await bench.done({ policies: ["none", "plain_none"] })).id);
    expect(bench.lab.list(TENANT).map(({ id }) => id)).toEqual(ids.slice(1).reverse());
    expect(refusal(() => bench.lab.get(TENANT, ids[0]))).toMatchObject({ reason: "replay_not_found" });
    expect(refusal(() => bench.lab.get("another", ids[8]))).toMatchObject({ reason: "replay_not_found" });
    expect(bench.lab.get(TENANT).id).toBe(ids[8]);
    expect(bench.lab.list("another")).toEqual([]);
  });
});

describe("what cannot be replayed is refused with", () => {
  test.each([
    ["a session that is not open", { sessionIds: ["nobody"] }, "session_not_found", /Session nobody is not open/],
    [
      "a policy that there is not",
      { policies: ["hybrid", "nosuch"] },
      "invalid_params",
      /policies\[1\]` is no policy; choose from/,
    ],
    ["one policy twice", { policies: ["hybrid", "hybrid"] }, "invalid_params", /two different policies/],
    ["a window that is none", { window: "16m" }, "invalid_params", /16m is no window/],
  ] as const)("%s", async (_what, request, reason, message) => {
    await playRun(bench.host, { session_id: "s", turns: 2 });
    const refused = refusal(() => bench.lab.run(TENANT, request));
    expect(refused.reason).toBe(reason);
    expect(refused.message).toMatch(message);
    expect(bench.lab.list(TENANT)).toEqual([]);
  });

  test("no open session at all", () => {
    expect(refusal(() => bench.lab.run(TENANT, {}))).toMatchObject({ reason: "invalid_params" });
  });
});
