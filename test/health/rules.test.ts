import { describe, expect, it } from "vitest";
import { alertChanges, configureRules, type HealthState, initialHealth } from "../../src/health/index.ts";
import { afterTurn, type Did, times } from "./health-states.ts";

const SETTINGS = {
  metrics: ["utilization", "eviction_rate", "compression_ratio", "burn_rate", "fidelity", "tool_result_bloat"],
  alerts: {},
  options: {},
  disabled_rules: [],
};
const rules = configureRules(SETTINGS);

/** Turns in which alerts changed: `+Alert` raised, `-Alert` ended, with the turn's number. */
function played(turns: readonly Did[]): string[] {
  const active = new Set<string>();
  const log: string[] = [];
  let state: HealthState = initialHealth();
  for (const [at, did] of turns.entries()) {
    state = afterTurn(state, did);
    for (const { alert, raised } of alertChanges(rules, state, (name) => active.has(name))) {
      if (raised) active.add(alert);
      else active.delete(alert);
      log.push(`${raised ? "+" : "-"}${alert}@${at + 1}`);
    }
  }
  return log;
}

interface Case {
  readonly alert: string;
  /** Raises it in the turn `at`. */
  readonly bad: readonly Did[];
  readonly at: number;
  /** Ends it. */
  readonly good: readonly Did[];
  /** Just short of it: raises nothing. */
  readonly almost: readonly Did[];
}

const FULL = { utilization: 0.8, zone: "orange" } as const;

const CASES: readonly Case[] = [
  {
    alert: "ContextUtilizationCritical",
    bad: times(3, { utilization: 0.91, zone: "red" }),
    at: 3,
    good: times(3, { utilization: 0.84, zone: "orange" }),
    almost: [
      ...times(2, { utilization: 0.99, zone: "red" }),
      { utilization: 0.9, zone: "red" },
      ...times(2, { utilization: 0.99, zone: "red" }),
    ],
  },
  {
    alert: "EvictionRateHigh",
    bad: [...times(5, {}), ...times(8, { evicted: 10 })],
    at: 13,
    good: times(12, {}),
    // One deep pass: the mean is above the limit for ten turns, and it is no trouble.
    almost: [...times(10, {}), { evicted: 90 }, ...times(12, {})],
  },
  {
    alert: "CompressionIneffective",
    bad: times(5, { ...FULL, pass: [100, 60] }),
    at: 5,
    good: times(5, { ...FULL, pass: [100, 20] }),
    almost: times(10, { utilization: 0.6, zone: "yellow", pass: [100, 60] }),
  },
  {
    alert: "BurnRateSpike",
    bad: [...times(12, { growth: 10 }), ...times(10, { growth: 60 })],
    at: 22,
    good: times(20, { growth: 10 }),
    almost: [...times(9, { growth: 10 }), ...times(8, { growth: 1000 })],
  },
  {
    alert: "FidelityLow",
    bad: times(5, { fold: [10, 0.6] }),
    at: 5,
    good: times(14, { fold: [10, 1] }),
    almost: times(9, { fold: [3, 0.2] }),
  },
  {
    alert: "ToolResultBloat",
    bad: times(3, { ...FULL, bloat: 0.4 }),
    at: 3,
    good: times(3, { ...FULL, bloat: 0.2 }),
    almost: times(10, { utilization: 0.6, zone: "yellow", bloat: 0.9 }),
  },
  {
    alert: "RegretHigh",
    bad: [{ evicted: 20, regretted: 15 }],
    at: 1,
    good: times(25, {}),
    almost: [
      { evicted: 19, regretted: 19 },
      { evicted: 60, regretted: 10 },
    ],
  },
];

describe.each(CASES)("$alert", ({ alert, bad, at, good, almost }) => {
  it("is raised once by what is bad for long enough", () => {
    const more = bad.at(-1) as Did;
    const raised = played([...bad, more, more]).filter((change) => change.slice(1).startsWith(alert));
    expect(raised).toEqual([`+${alert}@${at}`]);
  });

  it("ends when all is well for long enough", () => {
    const log = played([...bad, ...good]).filter((change) => change.slice(1).startsWith(alert));
    expect(log).toHaveLength(2);
    expect(log[1]).toMatch(`-${alert}@`);
  });

  it("is not raised by what is almost as bad", () => {
    expect(played(almost).filter((change) => change.includes(alert))).toEqual([]);
  });
});

it("a session without trouble raises nothing", () => {
  expect(played(times(100, {}))).toEqual([]);
});

describe("configureRules", () => {
  it("leaves out the rules of figures that are not watched, and those that are switched off", () => {
    const some = configureRules({ ...SETTINGS, metrics: ["fidelity"], disabled_rules: ["regret_high"] });
    expect(some.map(({ name }) => name)).toEqual(["fidelity_low"]);
  });

  it("gives the shared figures to the rules that have an option of that name; a rule's own options win", () => {
    const warned = (settings: object) => {
      const [rule] = configureRules({ ...SETTINGS, metrics: ["utilization"], ...settings });
      return alertChanges(
        rule ? [rule] : [],
        times(3, { utilization: 0.6 }).reduce(afterTurn, initialHealth()),
        () => false,
      );
    };
    expect(warned({})).toEqual([]);
    expect(warned({ alerts: { utilization_critical: 0.55 } })).toHaveLength(1);
    const options = { context_utilization_critical: { utilization_critical: 0.7 } };
    expect(warned({ alerts: { utilization_critical: 0.55 }, options })).toEqual([]);
  });

  it.each([
    [{ alert: "no camel case" }, /CamelCase/],
    [{ alert: "CompactionFailing" }, /taken/],
    [{ severity: "fatal" }, /severity/],
    [{ raiseAfter: 11 }, /1 to 10/],
  ])("refuses a rule that cannot be worked with: %j", (wrong, problem) => {
    const rule = { ...(rules[0] as object), alert: "Mine", ...wrong };
    const registry = { mine: { summary: "", options: {} as never, configure: () => rule as never } };
    expect(() => configureRules(SETTINGS, registry, ["CompactionFailing"])).toThrow(problem);
  });
});
