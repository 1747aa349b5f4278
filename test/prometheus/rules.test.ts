import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { installed, run } from "../support/debian-programs.ts";
import {
  alertNames,
  alertRules,
  CONFIG,
  casesOf,
  daemonAlerts,
  namesIn,
  recordingRules,
  ruleTestFiles,
} from "../support/shipped-rules.ts";
import { bench } from "../telemetry/metrics/fixture.ts";

const FOLDER = join(CONFIG, "prometheus");
/** It fires for ever: there is nothing that it does not fire at, and nothing that resolves it. */
const ALWAYS = "ContextdWatchdog";

const { metrics } = bench();
afterAll(() => metrics.close());
const served = new Map(metrics.describe().map(({ name, labels }) => [name, labels]));

describe("the scrape config and rules for Prometheus", () => {
  it("pass promtool's checks, all lints on", () => {
    if (!installed("promtool")) return;
    const rules = run(
      "promtool",
      ["check", "rules", "--lint=all", "--lint-fatal", "rules/contextd.alerts.yml"],
      FOLDER,
    );
    expect(rules.output).toMatch(/SUCCESS: \d+ rules found/);
    expect(rules.status).toBe(0);
    const config = run("promtool", ["check", "config", "--lint=all", "--lint-fatal", "prometheus.yml"], FOLDER);
    expect(config.output).toContain("2 rule files found");
    expect(config.status).toBe(0);
  });

  it.each(ruleTestFiles)("do as %s says", (file) => {
    if (!installed("promtool")) return;
    const { status, output } = run("promtool", ["test", "rules", file], join(FOLDER, "tests"));
    expect(output).toContain("SUCCESS");
    expect(status, output).toBe(0);
  });

  it("name only metrics that the daemon serves", () => {
    const known = new Set(served.keys());
    const unknown = [...alertRules, ...recordingRules].flatMap(({ expr }) =>
      namesIn(expr).metrics.filter((name) => !known.has(name)),
    );
    expect(unknown).toEqual([]);
  });

  it("name only recorded figures that are recorded, and all of those", () => {
    const recorded = recordingRules.map(({ record }) => record);
    const used = [...alertRules, ...recordingRules].flatMap(({ expr }) => namesIn(expr).recorded);
    expect(used.filter((name) => !recorded.includes(name))).toEqual([]);
    expect(recorded.filter((name) => !/^instance(_\w+)?:contextd_\w+:\w+$/.test(name))).toEqual([]);
    expect(recorded.filter((name) => !used.includes(name))).toEqual([]);
  });

  it("select by labels that the metrics have", () => {
    const wrong: string[] = [];
    for (const { expr } of [...alertRules, ...recordingRules]) {
      for (const [, name, matchers] of expr.matchAll(/\b((?:contextd|process)_\w+)\{([^}]*)\}/g)) {
        const labels = served.get((name as string).replace(/_(bucket|sum|count)$/, ""));
        if (labels === undefined) continue;
        for (const [, label] of (matchers as string).matchAll(/(\w+)\s*[=!]/g)) {
          if (![...labels, "job", "instance", "le"].includes(label as string)) wrong.push(`${name}{${label}}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe.each(alertRules)("$alert ($labels.severity)", ({ alert, labels, annotations, expr }) => {
  it("has its labels and annotations, with figures or names in them", () => {
    expect(alert).toMatch(/^([A-Z][a-z]+)+$/);
    expect(["critical", "warning", "info"]).toContain(labels["severity"]);
    expect(annotations["summary"]).toMatch(/^\S.{10,}\S$/);
    expect(annotations["description"]).toMatch(/\.$/);
    if (expr.includes("contextd_") && alert !== "ConfigReloadFailed") {
      expect(`${annotations["summary"]} ${annotations["description"]}`).toContain("$value |");
    }
    expect(annotations["runbook_url"]).toMatch(new RegExp(`/docs/runbooks/${alert}\\.md$`));
    expect(annotations["dashboard_url"]).toMatch(/^http:\/\/localhost:3000\/d\/contextd-\w+/);
  });

  it("is no less urgent than where the daemon raises it itself", () => {
    const order = ["info", "warning", "critical"];
    expect(daemonAlerts.size).toBeGreaterThanOrEqual(2);
    const own = daemonAlerts.get(alert) ?? "info";
    expect(order.indexOf(labels["severity"] ?? "")).toBeGreaterThanOrEqual(order.indexOf(own));
  });
});

describe.each(alertNames)("the tests of %s", (alert) => {
  const cases = casesOf(alert);
  const begins = (words: string) => cases.filter(({ name }) => name.startsWith(words));
  const checks = cases.flatMap((tested) => tested.alert_rule_test);

  it("have a case for each way that it goes, and each tells what its name says", () => {
    expect(begins("fires").length).toBeGreaterThan(0);
    expect(cases.filter(({ name }) => !/^(fires|does not fire|resolves) /.test(name))).toEqual([]);
    expect(new Set(checks.map(({ alertname }) => alertname))).toEqual(new Set([alert]));
    for (const { name, alert_rule_test: steps } of cases) {
      const told = steps.map(({ exp_alerts }) => (exp_alerts ?? []).length > 0);
      if (name.startsWith("fires")) expect(told.at(-1), name).toBe(true);
      else if (name.startsWith("resolves")) expect([told[0], told.at(-1)], name).toEqual([true, false]);
      else expect(told.includes(true), name).toBe(false);
    }
    if (alert === ALWAYS) return;
    expect(begins("does not fire").length).toBeGreaterThan(1);
    expect(begins("resolves").length).toBeGreaterThan(0);
  });

  it("show it without any series, and with each severity that it has", () => {
    const severities = alertRules.filter((rule) => rule.alert === alert).map(({ labels }) => labels["severity"]);
    const fired = checks.flatMap(({ exp_alerts }) => exp_alerts ?? []);
    expect(new Set(fired.map(({ exp_labels }) => exp_labels["severity"]))).toEqual(new Set(severities));
    for (const { exp_annotations } of fired)
      expect(Object.values(exp_annotations).join()).not.toMatch(/NaN|<no value>/);
    const bare = cases.filter((tested) => !("input_series" in tested));
    expect(bare.length).toBeGreaterThan(0);
  });
});
