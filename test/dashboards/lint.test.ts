import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  committedDashboards,
  DASHBOARDS,
  type GrafanaDashboard,
  type Panel,
  queriesOf,
  selectorsOf,
  shownPanels,
} from "../support/dashboards.ts";

/**
 * The rules of Grafana's dashboard-linter (github.com/grafana/dashboard-linter, docs/rules), asked of every kind of panel
 * and not only of those that it knows, and the exclusions that it would be given (dashboards/.lint).
 */
interface Finding {
  readonly panel: string | null;
  readonly says: string;
}
type Rule = (dashboard: GrafanaDashboard) => Finding[];

interface Exclusion {
  readonly reason: string;
  readonly entries?: readonly { readonly dashboard: string; readonly panel?: string }[];
}

/** The data source that is chosen above each dashboard. */
const DATA_SOURCE = `\${datasource}`;

/** Units of Grafana that we use, out of its list (packages/grafana-data/src/valueFormats/categories.ts). */
const UNITS = ["short", "none", "string", "percentunit", "s", "dateTimeFromNow", "bytes", "reqps", "currencyUSD"];

const ofDashboard = (problems: readonly (string | false)[]): Finding[] =>
  problems.filter((says) => says !== false).map((says) => ({ panel: null, says }));

const ofPanels =
  (check: (panel: Panel, dashboard: GrafanaDashboard) => (string | false)[]): Rule =>
  (dashboard) =>
    shownPanels(dashboard).flatMap((panel) =>
      check(panel, dashboard).flatMap((says) => (says === false ? [] : [{ panel: panel.title, says }])),
    );

const ofQueries =
  (check: (expr: string) => string[]): Rule =>
  (dashboard) =>
    queriesOf(dashboard).flatMap(({ panel, expr }) => check(expr).map((says) => ({ panel: panel.title, says })));

const template =
  (name: string): Rule =>
  ({ templating }) => {
    const variable = templating.list.find((one) => one.name === name);
    if (variable === undefined) return ofDashboard([`has no variable ${name}`]);
    const label = name[0]?.toUpperCase() + name.slice(1);
    return ofDashboard([
      variable.datasource?.uid !== DATA_SOURCE && `${name} does not use the data source's variable`,
      variable.type !== "query" && `${name} is no query`,
      variable.label !== label && `${name} is labelled ${variable.label}`,
      variable.multi !== true && `${name} takes one value only`,
      variable.allValue !== ".+" && `all of ${name} is ${variable.allValue}`,
    ]);
  };

const narrowedBy = (label: string): Rule =>
  ofQueries((expr) =>
    selectorsOf(expr)
      .filter(({ matchers }) => !matchers.includes(`${label}=~"$${label}"`))
      .map(({ text }) => `${text} is not narrowed by ${label}`),
  );

const rules: Record<string, Rule> = {
  "template-datasource-rule": ({ templating }) => {
    const sources = templating.list.filter(({ type }) => type === "datasource");
    const [source] = sources;
    return ofDashboard([
      sources.length !== 1 && "has not just one data source variable",
      source?.name !== "datasource" && `the data source's variable is ${source?.name}`,
      source?.label !== "Data source" && `it is labelled ${source?.label}`,
      source?.query !== "prometheus" && "it is not for Prometheus",
    ]);
  },
  "template-job-rule": template("job"),
  "template-instance-rule": template("instance"),
  "template-label-promql-rule": ({ templating }) =>
    ofDashboard(
      templating.list.map(
        ({ type, definition, name }) =>
          type === "query" &&
          !/^label_values\(\w+(\{[^}]*\})?, \w+\)$/.test(definition ?? "") &&
          `${name}: ${definition}`,
      ),
    ),
  "template-on-time-change-reload-rule": ({ templating }) =>
    ofDashboard(templating.list.map(({ type, refresh, name }) => type === "query" && refresh !== 2 && name)),
  "panel-datasource-rule": ofPanels(({ type, datasource }) => [
    ["stat", "timeseries", "heatmap", "bargauge"].includes(type) && datasource?.uid !== DATA_SOURCE && "fixed source",
  ]),
  "panel-title-description-rule": ofPanels(({ title, description }) => [
    title === "" && "no title",
    !description && "no description",
  ]),
  "panel-units-rule": ofPanels(({ type, fieldConfig, title }) => {
    if (type === "alertlist") return [];
    const units =
      fieldConfig?.overrides.flatMap(({ properties }) => properties.filter(({ id }) => id === "unit")) ?? [];
    const all = [fieldConfig?.defaults.unit, ...units.map(({ value }) => value)];
    return all.map((unit) => !UNITS.includes(String(unit)) && `${title}: unit ${unit}`);
  }),
  "panel-no-targets-rule": ofPanels(({ type, targets = [] }) => [
    type !== "alertlist" && targets.length === 0 && "asks nothing",
  ]),
  "target-rate-interval-rule": ofQueries((expr) =>
    selectorsOf(expr)
      .filter(({ before, range }) => /\bi?rate\($/.test(before) && range !== "$__rate_interval")
      .map(({ text }) => text),
  ),
  "target-job-rule": narrowedBy("job"),
  "target-instance-rule": narrowedBy("instance"),
  "target-counter-agg-rule": ofQueries((expr) =>
    selectorsOf(expr)
      .filter(
        ({ name, range, before }) => name.endsWith("_total") && !(range && /\b(rate|irate|increase)\($/.test(before)),
      )
      .map(({ text }) => `${text} is not summed over time`),
  ),
  "uneditable-dashboard-rule": ({ editable }) => ofDashboard([editable && "may be edited"]),
};

const { exclusions } = parse(readFileSync(join(DASHBOARDS, ".lint"), "utf8")) as {
  readonly exclusions: Readonly<Record<string, Exclusion>>;
};

function isExcluded(rule: string, dashboard: string, panel: string | null): boolean {
  const exclusion = exclusions[rule];
  if (exclusion === undefined) return false;
  return exclusion.entries?.some((one) => one.dashboard === dashboard && one.panel === panel) ?? true;
}

describe.each(committedDashboards())("$file", ({ dashboard }) => {
  it.each(Object.entries(rules))("passes %s", (name, rule) => {
    expect(rule(dashboard).filter(({ panel }) => !isExcluded(name, dashboard.title, panel))).toEqual([]);
  });
});

it("every exclusion gives a reason and is needed", () => {
  for (const [rule, { reason, entries = [] }] of Object.entries(exclusions)) {
    expect(reason, rule).not.toBe("");
    const findings = committedDashboards().flatMap(({ dashboard }) =>
      (rules[rule] as Rule)(dashboard).map(({ panel }) => `${dashboard.title}: ${panel}`),
    );
    expect(findings.length, rule).toBeGreaterThan(0);
    for (const { dashboard, panel } of entries) expect(findings, rule).toContain(`${dashboard}: ${panel}`);
  }
});
