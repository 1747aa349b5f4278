import { describe, expect, it } from "vitest";
import type { EventData } from "../../src/model/events.ts";
import { Totals } from "../../src/telemetry/totals.ts";
import { VirtualClock } from "../support/manager.ts";
import { GATE, pressure, published } from "../support/published-event.ts";

/** Frees 40,000 tokens, writes 30,000 anew: it costs 34,500 once, and saves 4,000 with each call. */
function compacted(over: Partial<EventData["history.compacted"]> = {}) {
  return published("history.compacted", {
    pass_id: "p1",
    strategy: "eviction",
    summarizer: "none",
    cause: "yellow",
    messages_before: 40,
    messages_after: 30,
    tokens_before: 90_000,
    tokens_after: 50_000,
    considered_blocks: null,
    considered_tokens: null,
    target_tokens: 50_000,
    edits: 10,
    generation: 1,
    job_id: null,
    waited_ms: 0,
    gate: GATE,
    shallower: null,
    ...over,
  });
}

function ended(over: Partial<EventData["turn.ended"]> = {}) {
  return published("turn.ended", {
    turn: 8,
    stop_reason: "stop",
    input_tokens: null,
    output_tokens: null,
    cache_read_input_tokens: null,
    cache_creation_input_tokens: null,
    prompt_tokens: null,
    estimated_tokens: 50_000,
    ...over,
  });
}

const USAGE = { prompt_tokens: 50_000, cache_read_input_tokens: 20_000, cache_creation_input_tokens: 30_000 };
const measured = published("pressure.measured", pressure({ max_tokens: 128_000 }));

function evicted(over: Partial<EventData["block.evicted"]> = {}) {
  return published("block.evicted", { block_id: "b1", pass_id: "p1", ...over } as EventData["block.evicted"]);
}

function regretted(block_id: string, kind: EventData["regret.detected"]["kind"] = "recall") {
  return published("regret.detected", { block_id, kind } as EventData["regret.detected"]);
}

describe("the cost saved", () => {
  it("is what the freed tokens would have cost each call after the pass, less what the edit cost once", () => {
    const totals = new Totals(new VirtualClock());
    totals.observe([compacted(), measured, ended()]);
    expect(totals.read("default").costSaved).toEqual({ tokens: 4_000 - 34_500, share: null });
    totals.observe(Array.from({ length: 9 }, () => ended()));
    expect(totals.read("default").costSaved.tokens).toBeCloseTo(40_000 - 34_500);
  });

  it("is nothing while nothing was edited, and for passes that no gate weighed", () => {
    const totals = new Totals(new VirtualClock());
    totals.observe([ended(USAGE), compacted({ gate: null }), ended(USAGE)]);
    expect(totals.read("default").costSaved).toEqual({ tokens: 0, share: null });
  });

  it("is a share of what the calls would have cost where usage tells of the cache", () => {
    const totals = new Totals(new VirtualClock());
    totals.observe([compacted(), measured, ended(USAGE)]);
    const spent = 20_000 * 0.1 + 30_000 * 1.25;
    const saved = 4_000 - 34_500;
    expect(totals.read("default").costSaved.share).toBeCloseTo(saved / (spent + saved));
    expect(totals.history("default").at(-1)?.costRatio).toBeCloseTo(spent / (spent + saved));
  });

  it("is a share of the calls whose cost is known alone, what edits cost included", () => {
    const totals = new Totals(new VirtualClock());
    totals.observe([
      compacted(),
      measured,
      ended(),
      ended(USAGE),
      ended({ ...USAGE, cache_read_input_tokens: 50_000 }),
    ]);
    const spent = 20_000 * 0.1 + 30_000 * 1.25 + (50_000 * 0.1 + 30_000 * 1.25);
    expect(totals.read("default").costSaved.share).toBeCloseTo(8_000 / (spent + 8_000));
    expect(totals.read("default").costSaved.tokens).toBeCloseTo(12_000 - 34_500);
  });

  it("is never more than what would have fitted into the window", () => {
    const totals = new Totals(new VirtualClock());
    totals.observe([compacted(), published("pressure.measured", pressure({ max_tokens: 60_000 })), ended(), ended()]);
    expect(totals.read("default").costSaved.tokens).toBeCloseTo(2 * 1_000 - 34_500);
  });

  it("counts what a pass puts in against it", () => {
    const totals = new Totals(new VirtualClock());
    totals.observe([compacted({ tokens_after: 52_000 }), measured, ended()]);
    expect(totals.read("default").costSaved.tokens).toBeCloseTo(3_800 - 34_500 - 2_000 * 1.15);
  });

  it("ends with the window", () => {
    const totals = new Totals(new VirtualClock());
    totals.observe([compacted(), measured, ended()]);
    const before = totals.read("default").costSaved.tokens;
    totals.observe([published("window.closed", { window_id: "w1", number: 1, reason: "requested" }), ended(), ended()]);
    expect(totals.read("default").costSaved.tokens).toBe(before);
  });
});

describe("regret and the error of counts", () => {
  it("count a block once that is needed again in two ways, and not what was shortened as it came in", () => {
    const totals = new Totals(new VirtualClock());
    const arrival = published("block.truncated", { pass_id: null } as EventData["block.truncated"]);
    totals.observe([evicted(), evicted({ block_id: "b2" }), arrival, regretted("b1"), regretted("b1", "reread")]);
    expect(totals.read("default")).toMatchObject({ evicted: 2, neededAgain: 1 });
    expect(totals.history("default").at(-1)?.neededAgain).toBe(0.5);
  });

  it("are the mean of signed shares, by model and in sum", () => {
    const totals = new Totals(new VirtualClock());
    const labels = { agent: "a", profile: "p", model: "claude-sonnet-4" };
    totals.observe([
      ended({ prompt_tokens: 40_000 }),
      ended({ prompt_tokens: 50_000 }),
      { ...ended({ prompt_tokens: 100_000 }), labels },
      ended(),
    ]);
    expect(totals.read("default").estimatorError).toBeCloseTo((0.25 + 0 - 0.5) / 3);
    expect(totals.modelErrors("default")).toEqual([
      { model: "gpt-4o", mean: 0.125, last: 0, n: 2 },
      { model: "claude-sonnet-4", mean: -0.5, last: -0.5, n: 1 },
    ]);
  });

  it("are null where there is nothing to say", () => {
    const totals = new Totals(new VirtualClock());
    expect(totals.read("default")).toMatchObject({ estimatorError: null, costSaved: { tokens: 0, share: null } });
    const quiet = { tokensFreed: 0, overflows: 0, neededAgain: null, costRatio: null, countError: null };
    expect(totals.history("default")).toEqual(Array.from({ length: 60 }, () => quiet));
  });
});

describe("the last hour", () => {
  it("moves by a place a minute, forgets what is older, and is the tenant's own", () => {
    const clock = new VirtualClock();
    const totals = new Totals(clock);
    const freed = (tenant = "default") => totals.history(tenant).map(({ tokensFreed }) => tokensFreed);
    totals.observe([compacted()]);
    clock.advance(60_000);
    totals.observe([compacted({ tokens_after: 80_000 }), { ...compacted(), tenant: "other" }]);
    expect(freed().slice(-2)).toEqual([40_000, 10_000]);
    expect(freed("other").slice(-2)).toEqual([0, 40_000]);
    clock.advance(59 * 60_000);
    expect(freed()[0]).toBe(10_000);
    expect(totals.read("default").tokensFreed).toBe(50_000);
  });

  it("has the overflows of each minute, beside all since the start", () => {
    const clock = new VirtualClock();
    const totals = new Totals(clock);
    const overflow = published("overflow.reported", {
      ...{ estimated_tokens: null, reported_tokens: null },
    } as EventData["overflow.reported"]);
    totals.observe([overflow, overflow]);
    clock.advance(60_000);
    totals.observe([overflow]);
    const told = () => totals.history("default").map(({ overflows }) => overflows);
    expect(told().slice(-3)).toEqual([0, 2, 1]);
    clock.advance(59 * 60_000);
    expect(told().reduce((sum, n) => sum + n, 0)).toBe(1);
    expect(totals.read("default").overflows).toBe(3);
  });

  it("is kept of a thousand tenants at the most: those that were busy last", () => {
    const clock = new VirtualClock();
    const totals = new Totals(clock);
    for (let n = 0; n <= 1_000; n++) totals.observe([{ ...compacted(), tenant: `t${n}` }]);
    expect(totals.history("t0").at(-1)?.tokensFreed).toBe(0);
    expect(totals.history("t1").at(-1)?.tokensFreed).toBe(40_000);
    expect(totals.history("t1000").at(-1)?.tokensFreed).toBe(40_000);
  });
});
