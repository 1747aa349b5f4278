import { describe, expect, it } from "vitest";
import { CallFigures } from "../../src/rpc/call-figures.ts";
import { Durations } from "../../src/rpc/durations.ts";
import { VirtualClock } from "../support/manager.ts";

const HOOK = { tenant: "acme", method: "on_turn_start", outcome: "ok" } as const;

describe("figures of calls", () => {
  it("are a tenant's own: another's calls do not show in them", () => {
    const figures = new CallFigures(new VirtualClock());
    for (let n = 1; n <= 100; n++) figures.record({ ...HOOK, seconds: n / 1000 });
    figures.record({ ...HOOK, outcome: "stale_revision", seconds: 0.5 });
    expect(figures.hooks("acme")).toEqual({ total: 101, errors: 1, perSecond: 101 / 60, p99Ms: 100 });
    expect(figures.hooks("other")).toEqual({ total: 0, errors: 0, perSecond: 0, p99Ms: null });
    expect(figures.methods("other")).toEqual([]);
    expect(figures.history("other").every(({ perSecond, p99Ms }) => perSecond === 0 && p99Ms === null)).toBe(true);
  });

  it("forget for the rate what is older than a minute, and keep it in the total", () => {
    const clock = new VirtualClock();
    const figures = new CallFigures(clock);
    figures.record({ ...HOOK, seconds: 0.001 });
    clock.advance(60_001);
    expect(figures.hooks("acme")).toEqual({ total: 1, errors: 0, perSecond: 0, p99Ms: null });
    expect(figures.methods("acme")).toMatchObject([{ total: 1, perSecond: 0, p50Ms: null, p99Ms: null }]);
  });

  it("tell methods apart, the most called first", () => {
    const figures = new CallFigures(new VirtualClock());
    figures.record({ ...HOOK, method: "session.open", outcome: "overloaded", seconds: 0.2 });
    for (let n = 1; n <= 10; n++) figures.record({ ...HOOK, seconds: n / 1000 });
    expect(figures.methods("acme")).toEqual([
      { method: "on_turn_start", total: 10, errors: 0, perSecond: 10 / 60, p50Ms: 5, p99Ms: 10 },
      { method: "session.open", total: 1, errors: 1, perSecond: 1 / 60, p50Ms: 200, p99Ms: 200 },
    ]);
  });

  it("of hooks are not moved by what else is called, the reads of the page among it", () => {
    const figures = new CallFigures(new VirtualClock());
    for (const method of ["on_turn_start", "on_tool_result", "on_turn_end", "on_overflow"]) {
      figures.record({ ...HOOK, method, seconds: 0.001 });
    }
    const before = { hooks: figures.hooks("acme"), history: figures.history("acme") };
    for (const method of ["status.report", "session.get", "context.get", "unknown"]) {
      figures.record({ ...HOOK, method, outcome: "session_not_found", seconds: 4 });
    }
    expect(before.hooks).toEqual({ total: 4, errors: 0, perSecond: 4 / 60, p99Ms: 1 });
    expect({ hooks: figures.hooks("acme"), history: figures.history("acme") }).toEqual(before);
    expect(figures.methods("acme")).toHaveLength(8);
  });

  it("have a line of the last hour, a point a minute, the last one of the minute that is not over", () => {
    const clock = new VirtualClock();
    const figures = new CallFigures(clock);
    clock.advance(60_000 - (clock.monotonic() % 60_000));
    for (let n = 0; n < 120; n++) figures.record({ ...HOOK, seconds: 0.004 });
    clock.advance(60_000);
    figures.record({ ...HOOK, seconds: 0.02 });
    clock.advance(30_000);
    const history = figures.history("acme");
    expect(history).toHaveLength(60);
    expect(history.slice(-3).map(({ perSecond }) => perSecond)).toEqual([0, 2, 1 / 30]);
    expect(history.at(-2)?.p99Ms).toBeCloseTo(4, 0);
    clock.advance(3_600_000);
    expect(figures.history("acme").some(({ perSecond }) => perSecond > 0)).toBe(false);
  });
});

describe("durations in a fixed room", () => {
  it("give percentiles within 5 % from ten microseconds to half a minute", () => {
    for (let seconds = 0.00002; seconds < 30; seconds *= 1.37) {
      const durations = new Durations();
      for (let n = 0; n < 99; n++) durations.add(0.00001);
      durations.add(seconds);
      const told = durations.quantileMs(1) ?? 0;
      expect(Math.abs(told - seconds * 1000) / (seconds * 1000)).toBeLessThan(0.05);
    }
    expect(new Durations().quantileMs(0.5)).toBeNull();
  });
});
