import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alertChanges, configureRules, type HealthState, initialHealth, viewAt } from "../../src/health/index.ts";
import { ZONES } from "../../src/model/zone.ts";
import { afterTurn, afterTurns, type Did, times } from "./health-states.ts";
import "../support/fixed-seed.ts";

const METRICS = ["utilization", "eviction_rate", "compression_ratio", "burn_rate", "fidelity", "tool_result_bloat"];
const rules = configureRules({ metrics: METRICS, alerts: {}, options: {}, disabled_rules: [] });

const anyTurn: fc.Arbitrary<Did> = fc.record({
  utilization: fc.double({ min: 0.5, max: 1.1, noNaN: true }),
  zone: fc.constantFrom(...ZONES),
  bloat: fc.double({ min: 0, max: 1, noNaN: true }),
  growth: fc.integer({ min: 0, max: 500 }),
  evicted: fc.integer({ min: 0, max: 15 }),
  pass: fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 500 })),
  fold: fc.tuple(fc.integer({ min: 1, max: 20 }), fc.double({ min: 0, max: 1, noNaN: true })),
  regretted: fc.integer({ min: 0, max: 15 }),
});

describe("alertChanges", () => {
  it("never raises what fires nor ends what does not, and leaves the turns of the rule between two changes", () => {
    let changes = 0;
    fc.assert(
      fc.property(fc.array(anyTurn, { minLength: 20, maxLength: 60 }), (turns) => {
        const active = new Set<string>();
        const last = new Map<string, number>();
        let state: HealthState = initialHealth();
        for (const [at, did] of turns.entries()) {
          state = afterTurn(state, did);
          for (const { alert, raised } of alertChanges(rules, state, (name) => active.has(name))) {
            const rule = rules.find((each) => each.alert === alert);
            expect(active.has(alert)).toBe(!raised);
            const least = raised ? rule?.raiseAfter : rule?.resolveAfter;
            expect(at - (last.get(alert) ?? -100)).toBeGreaterThanOrEqual(least as number);
            last.set(alert, at);
            if (raised) active.add(alert);
            else active.delete(alert);
            changes++;
          }
        }
      }),
      { numRuns: 100 },
    );
    expect(changes, "the sessions are eventful enough to show anything").toBeGreaterThan(100);
  });

  it("does not change its mind while a figure moves between its two limits", () => {
    const wavering = Array.from({ length: 40 }, (_, at) => ({ utilization: at % 4 < 3 ? 0.92 : 0.86 }));
    let state = initialHealth();
    const active = new Set<string>();
    let changes = 0;
    for (const did of wavering) {
      state = afterTurn(state, did);
      for (const { alert, raised } of alertChanges(rules, state, (name) => active.has(name))) {
        changes++;
        if (raised) active.add(alert);
        else active.delete(alert);
      }
    }
    expect(changes).toBe(1);
  });
});

describe("the state", () => {
  const busy = (turns: number) =>
    afterTurns(times(turns, { evicted: 3, pass: [100, 20], fold: [4, 0.9], regretted: 1, growth: 30 }));

  it("does not grow with the session", () => {
    const size = (turns: number) => JSON.stringify(busy(turns)).length;
    expect(size(2000)).toBeLessThan(size(200) * 1.1);
    expect(size(2000)).toBeLessThan(8000);
  });

  it("is plain: read back from JSON it goes on as it was", () => {
    const state = busy(30);
    const read = JSON.parse(JSON.stringify(state)) as HealthState;
    expect(afterTurn(read, { evicted: 2 })).toEqual(afterTurn(state, { evicted: 2 }));
  });

  it("tells the six figures over the last ten turns, and the growth before them as the baseline", () => {
    const state = afterTurns([
      ...times(5, { growth: 100, utilization: 0.9, evicted: 9 }),
      ...times(10, { growth: 20, utilization: 0.4, bloat: 0.3, pass: [90, 30], fold: [2, 0.5] }),
    ]);
    const view = viewAt(state, 0);
    expect(view?.metrics).toEqual({
      utilization: expect.closeTo(0.4),
      eviction_rate: 0,
      compression_ratio: 3,
      burn_rate: 20,
      fidelity: 0.5,
      tool_result_bloat: expect.closeTo(0.3),
    });
    expect(view?.baseline).toEqual({ turns: 5, growth: 100 });
    expect(viewAt(state, 10)?.metrics).toMatchObject({ eviction_rate: 9, fidelity: null });
    expect(viewAt(state, 15)).toBeNull();
  });
});
