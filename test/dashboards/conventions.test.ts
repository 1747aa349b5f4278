import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ALERTS } from "../../src/dashboards/alerts.ts";
import { METRICS } from "../../src/dashboards/metrics.ts";
import { ZONE_COLOURS } from "../../src/dashboards/zones.ts";
import {
  committedDashboards,
  type GrafanaDashboard,
  queriesOf,
  selectorsOf,
  shownPanels,
} from "../support/dashboards.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const all = committedDashboards();
const dashboards = all.map(({ dashboard }) => dashboard);

/** Of Prometheus itself. */
const OF_PROMETHEUS = ["up", "ALERTS"];

const documented = [...read("docs/metrics.md").matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \| .+ \|$/gm)].map(
  ([, name, type, labels]) => ({
    name: name as string,
    type: type as string,
    labels: [...(labels as string).matchAll(/`(\w+)`/g)].map(([, label]) => label as string).sort(),
  }),
);

/** Names that a query reads, histograms by their own name. */
function metricsOf(dashboard: GrafanaDashboard): string[] {
  return queriesOf(dashboard).flatMap(({ expr }) =>
    selectorsOf(expr).map(({ name }) => (name in METRICS ? name : name.replace(/_(bucket|sum|count)$/, ""))),
  );
}

describe("the catalogue of metrics", () => {
  it("names the documented metrics and those that are still to come, and no others", () => {
    expect(Object.keys(METRICS).sort()).toEqual(documented.map(({ name }) => name).sort());
  });

  it.each(documented)("has type and labels of $name as documented", ({ name, type, labels }) => {
    const known = METRICS[name as keyof typeof METRICS];
    expect({ type: known.type, labels: [...known.labels].sort() }).toEqual({ type, labels });
  });

  it("is charted in full: no metric is on no dashboard", () => {
    const charted = new Set(dashboards.flatMap(metricsOf));
    expect(Object.keys(METRICS).filter((name) => !charted.has(name))).toEqual([]);
  });

  it("has all that is charted", () => {
    const unknown = dashboards.flatMap(metricsOf).filter((name) => !(name in METRICS) && !OF_PROMETHEUS.includes(name));
    expect(unknown).toEqual([]);
  });
});

describe("all dashboards", () => {
  it("have uids, titles and descriptions of their own", () => {
    const distinct = (values: readonly string[]) => expect(new Set(values).size).toBe(values.length);
    distinct(dashboards.map(({ uid }) => uid));
    distinct(dashboards.map(({ title }) => title));
    distinct(dashboards.map(({ description }) => description));
    for (const { uid, description } of dashboards) {
      expect(uid).toMatch(/^contextd-[a-z]{1,30}$/);
      expect(description).not.toBe("");
    }
  });

  it("have the same variables, so that links keep them", () => {
    for (const { templating } of dashboards) expect(templating).toEqual(dashboards[0]?.templating);
    expect(dashboards[0]?.templating.list.map(({ name, label }) => `${label}: ${name}`)).toEqual(
      expect.arrayContaining([
        "Data source: datasource",
        "Job: job",
        "Instance: instance",
        "Profile: profile",
        "Model: model",
      ]),
    );
  });
});

it("the choices are read from series that are there: a histogram has none of its own name", () => {
  const read = dashboards[0]?.templating.list.flatMap(
    ({ definition }) => /^label_values\((\w+)/.exec(definition ?? "")?.[1] ?? [],
  );
  expect(read).toHaveLength(4);
  for (const name of read ?? []) {
    const metric = METRICS[name.replace(/_count$/, "") as keyof typeof METRICS];
    expect(metric.type === "histogram", name).toBe(name.endsWith("_count"));
  }
});

describe.each(all)("$file", ({ dashboard }) => {
  const panels = shownPanels(dashboard);

  it("is of Classic JSON 42, tagged, linked by the tag with time and variables kept, one crosshair over all", () => {
    expect(dashboard).toMatchObject({ schemaVersion: 42, graphTooltip: 1, editable: false, tags: ["contextd"] });
    expect(dashboard.links).toMatchObject([
      { type: "dashboards", tags: ["contextd"], keepTime: true, includeVars: true },
    ]);
  });

  it("marks changes of zone, reloads and restarts", () => {
    const names = dashboard.annotations.list.map(({ name }) => name);
    expect(names).toEqual(["Annotations & Alerts", "Zone changes", "Config reloads", "Restarts"]);
  });

  it("has panels of their own id, none over another, none beyond the 24 columns, no row with a hole", () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = new Map<string, string>();
    const rows = new Map<number, number>();
    for (const { gridPos, title } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        rows.set(y, (rows.get(y) ?? 0) + gridPos.w);
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
          expect(cells.get(`${x} ${y}`), `${title} lies over`).toBeUndefined();
          cells.set(`${x} ${y}`, title);
        }
      }
    }
    expect([...rows.values()].filter((width) => width !== 24)).toEqual([]);
    expect(Math.max(...rows.keys()) + 1).toBe(rows.size);
  });

  it.each(panels)("$title says what it shows, and ends with the metrics that it reads", (panel) => {
    const { description = "", targets = [] } = panel;
    const [said, named] = description.split(/\n\n(?=Metrics?: )/);
    expect(said).toMatch(/^[A-Z0-9].+\.$/s);
    const names = [...(named ?? "").matchAll(/`([\w/]+)`/g)].map(([, name]) => name as string);
    expect(named).toMatch(names.length === 1 ? /^Metric: / : /^Metrics: /);
    const read = targets.flatMap(({ expr, channel }) =>
      expr === undefined
        ? [channel ?? ""]
        : selectorsOf(expr).map(({ name }) => name.replace(/_(bucket|sum|count)$/, "")),
    );
    expect(new Set(names)).toEqual(new Set(panel.type === "alertlist" ? ["ALERTS"] : read));
  });

  it("asks Grafana Live in just the form that it reads", () => {
    const targets = panels.flatMap((panel) => panel.targets ?? []).filter(({ channel }) => channel !== undefined);
    for (const target of targets) {
      expect(target).toEqual({
        refId: "A",
        datasource: { type: "grafana", uid: "-- Grafana --" },
        queryType: "measurements",
        channel: expect.stringMatching(/^stream\/contextd\/(zone_event|eviction_event|window)$/),
        buffer: 900000,
      });
    }
    expect(targets.length > 0).toBe(dashboard.uid === "contextd-live");
  });

  it("reads No traffic, and not NaN, where errors are shared by nothing", () => {
    const failures = panels.filter(({ targets = [] }) =>
      targets.some(({ expr = "" }) => /outcome=~.*\) \/ \(/.test(expr)),
    );
    for (const { title, fieldConfig, targets = [] } of failures) {
      expect(fieldConfig?.defaults.noValue, title).toBe("No traffic");
      for (const { expr } of targets) expect(expr, title).toMatch(/or vector\(0\)\) \/ \(.+ > 0\)$/);
    }
  });
});

it("colours the zones as the daemon's own page does in the dark", () => {
  const tokens = read("src/ui/static/style/tokens.css");
  for (const [zone, colour] of Object.entries(ZONE_COLOURS)) {
    expect(tokens).toMatch(new RegExp(`--${zone}: light-dark\\(#[0-9a-f]{6}, ${colour}\\);`));
  }
});

describe("links", () => {
  const urls = dashboards.flatMap((dashboard) => [...JSON.stringify(dashboard.panels).matchAll(/"url":"([^"]+)"/g)]);
  const links = [...new Set(urls.map(([, url]) => url as string))];

  it("lead to dashboards that are there", () => {
    const uids = links.flatMap((url) => /^\/d\/([\w-]+)/.exec(url)?.[1] ?? []);
    expect(uids.length).toBeGreaterThan(2);
    for (const uid of uids) expect(dashboards.map((one) => one.uid)).toContain(uid);
  });

  it("lead to runbooks of alerts, which are there", () => {
    const named = links.flatMap((url) => /^\$\{runbooks\}\/(\w+)\.md$/.exec(url)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(4);
    for (const alert of named) expect(ALERTS).toContain(alert);
    for (const alert of ALERTS) {
      expect(existsSync(join(ROOT, `docs/runbooks/${alert}.md`)), alert).toBe(true);
    }
  });

  it("lead to the session in the daemon's own page", () => {
    const sessions = links.filter((url) => url.includes("/session/"));
    expect(sessions).toEqual([`\${page}/#/session/\${__value.raw}`]);
  });
});
