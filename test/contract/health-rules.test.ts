import { describe, expect, it } from "vitest";
import type { HealthRule } from "../../src/health/index.ts";
import { healthRules, viewAt } from "../../src/health/index.ts";
import { OWN_ALERTS } from "../../src/manager/alerts.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import { configWith } from "../config/config-with.ts";
import { afterTurns, times } from "../health/health-states.ts";

describe.each(Object.entries<Strategy<HealthRule>>(healthRules))("the health rule %s", (name, strategy) => {
  const rule = strategy.configure({});

  it("names itself as the registry does, says what it is, and has an alert of its own", () => {
    expect(rule.name).toBe(name);
    expect(strategy.summary).toMatch(/^[A-Z].*\.$/);
    expect(rule.alert.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()).toBe(name);
    expect(OWN_ALERTS).not.toContain(rule.alert);
  });

  it("refuses options that it does not know", () => {
    expect(() => strategy.configure({ limt: 3 })).toThrow(/limt/);
  });

  it("finds nothing bad in a first turn, nor in turns in which nothing happens", () => {
    for (const turns of [1, 15, 50]) {
      const view = viewAt(afterTurns(times(turns, { growth: 0 })), 0);
      expect(view && rule.judge(view)?.level).not.toBe("bad");
    }
  });

  it("says one sentence with figures", () => {
    const busy = { utilization: 0.97, zone: "red", evicted: 9, pass: [900, 880], fold: [9, 0.2], bloat: 0.8 } as const;
    const view = viewAt(
      afterTurns([...times(15, { growth: 5 }), ...times(15, { ...busy, growth: 90, regretted: 8 })]),
      0,
    );
    expect(view && rule.judge(view)).toMatchObject({
      level: "bad",
      summary: expect.stringMatching(/^[^.]*\d.*[^.]\.$/),
    });
  });
});

it("the config's figures are the rules' own defaults, and each belongs to a rule", () => {
  const { alerts } = configWith().health_monitoring;
  const defaults = Object.values(healthRules).map((each) => each.options.parse({}));
  expect(Object.assign({}, ...defaults)).toMatchObject(alerts);
});
