import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { BusyDaemon } from "../support/busy-daemon.ts";
import { committedDashboards, interpolated, type PanelQuery, queriesOf, selectorsOf } from "../support/dashboards.ts";
import { hasPrometheus, PrometheusProcess, type Series } from "../support/prometheus.ts";

/** Seconds between two scrapes; Grafana's $__rate_interval is four of them. */
const SCRAPE_S = 1;
/** All must have been answered by then, ms. */
const DEADLINE_MS = 90_000;

/** As Grafana puts them in with everything chosen, at a scrape interval of a second. */
const VALUES = { job: ".+", instance: ".+", profile: ".+", model: ".+", __rate_interval: `${4 * SCRAPE_S}s` };

/** Metrics of which the workload brings forth no series, and why. A query that reads one of them may be empty. */
const ABSENT: Readonly<Record<string, string>> = {
  contextd_otlp_spans_total: "no collector is configured",
};

/** Prometheus' own rules: the dead man's switch, and one more that fires. */
const RULES = {
  groups: [
    {
      name: "contextd",
      interval: "1s",
      rules: [
        { alert: "ContextdWatchdog", expr: "vector(1)", labels: { severity: "info" } },
        { alert: "ContextdDown", expr: 'up{job="gone"} == 0', labels: { severity: "critical" } },
      ],
    },
  ],
};

const config = (target: string) => ({
  global: { scrape_interval: `${SCRAPE_S}s`, scrape_timeout: `${SCRAPE_S}s`, evaluation_interval: "1s" },
  rule_files: ["rules.json"],
  scrape_configs: [
    { job_name: "contextd", static_configs: [{ targets: [target] }] },
    // Nobody listens on port 1.
    { job_name: "gone", static_configs: [{ targets: ["127.0.0.1:1"] }] },
  ],
});

/** What Prometheus is asked for choices and marks. */
function besidePanels(): readonly string[] {
  const first = committedDashboards()[0]?.dashboard;
  if (first === undefined) throw new Error("there are no dashboards");
  const choices = first.templating.list.flatMap(({ definition = "" }) => {
    const [, series, label] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
    return series === undefined ? [] : [`count by (${label}) (${series})`];
  });
  return [...choices, ...first.annotations.list.flatMap(({ expr }) => expr ?? [])];
}

interface Answered {
  readonly query: PanelQuery;
  readonly expr: string;
  /** Series with a figure at any time; null: none, and why that is so. */
  readonly series: number;
  readonly absent: string | null;
}

const queries = committedDashboards().flatMap(({ dashboard }) => queriesOf(dashboard));

/** Metrics by the names that they are documented under. */
const metricsOf = (expr: string) => selectorsOf(expr).map(({ name }) => name.replace(/_(bucket|sum|count)$/, ""));
const reasonOf = (expr: string) => metricsOf(expr).flatMap((name) => ABSENT[name] ?? [])[0] ?? null;

const withFigures = (series: readonly Series[]) =>
  series.filter(({ values }) => values.some((value) => Number.isFinite(value))).length;

/** Asks a panel's query as Grafana does: at one moment, or over the time that has passed. */
async function ask(prometheus: PrometheusProcess, { expr, isInstant }: PanelQuery, since: number): Promise<number> {
  const text = interpolated(expr, VALUES);
  if (isInstant) return withFigures(await prometheus.query(text));
  return withFigures(await prometheus.queryRange(text, since, Date.now() / 1000, SCRAPE_S));
}

/** Asks each query until it has an answer, or the time is over. */
async function askAll(prometheus: PrometheusProcess, since: number): Promise<Answered[]> {
  const answered = new Map<PanelQuery, number>();
  const deadline = Date.now() + DEADLINE_MS;
  const open = () => queries.filter((query) => !answered.get(query));
  while (Date.now() < deadline && open().some(({ expr }) => reasonOf(expr) === null)) {
    for (const query of open()) answered.set(query, await ask(prometheus, query, since));
    await pause(1000 * SCRAPE_S);
  }
  return queries.map((query) => ({
    query,
    expr: query.expr,
    series: answered.get(query) ?? 0,
    absent: reasonOf(query.expr),
  }));
}

describe.skipIf(!hasPrometheus())("the dashboards, before a Prometheus that scrapes a daemon at work", () => {
  let answers: Answered[] = [];
  /** Selectors that no series matches: a label or value that the daemon does not have. */
  let unmatched: string[] = [];
  /** Metrics that are there although they are said not to be. */
  let present: string[] = [];

  beforeAll(async () => {
    const since = Date.now() / 1000;
    await using busy = await BusyDaemon.start();
    await using prometheus = await PrometheusProcess.start(config(new URL(busy.daemon.url).host), {
      "rules.json": RULES,
    });
    const failed = busy.failed.then(() => [] as Answered[]);
    answers = await Promise.race([askAll(prometheus, since), failed]);
    unmatched = await unmatchedSelectors(prometheus, since);
    const named = await prometheus.query(
      `count by (__name__) ({__name__=~"(${Object.keys(ABSENT).join("|")})(_count)?"})`,
    );
    present = named.map(({ metric }) => metric["__name__"] ?? "");
    for (const expr of besidePanels()) {
      const found = await prometheus.queryRange(interpolated(expr, VALUES), since, Date.now() / 1000, SCRAPE_S);
      if (withFigures(found) === 0) unmatched.push(expr);
    }
    if (process.env["CONTEXTD_REPORT"]) process.stdout.write(report(answers));
  }, 2 * DEADLINE_MS);

  it.each(queries.map((query, at) => ({ at, of: `${query.dashboard} › ${query.panel.title} ${query.refId}` })))(
    "$of has an answer",
    ({ at }) => {
      const { series, absent, expr } = answers[at] as Answered;
      if (absent === null) expect(series, expr).toBeGreaterThan(0);
    },
  );

  it("reads no series that is not there, for panels, choices and marks", () => {
    expect(unmatched).toEqual([]);
  });

  it("has none of the metrics that are said to be absent: take one off the list when it comes", () => {
    expect(present).toEqual([]);
  });
});

/** `or vector(0)` answers whatever it is asked beside: each selector must find series by itself. */
async function unmatchedSelectors(prometheus: PrometheusProcess, since: number): Promise<string[]> {
  const seconds = Math.ceil(Date.now() / 1000 - since) + 60;
  const all = new Set(
    queries.flatMap(({ expr }) => selectorsOf(expr).map(({ name, matchers }) => `${name}{${matchers}}`)),
  );
  const unmatched: string[] = [];
  for (const selector of all) {
    if (reasonOf(selector) !== null || selector.includes("internal_error|")) continue;
    const found = await prometheus.query(`last_over_time(${interpolated(selector, VALUES)}[${seconds}s])`);
    if (found.length === 0) unmatched.push(selector);
  }
  return unmatched;
}

/** A table for people: panel, query, series. */
function report(all: readonly Answered[]): string {
  const rows = all.map(({ query, series, absent, expr }) => {
    const panel = `${query.dashboard.replace("contextd / ", "")} | ${query.panel.title} ${query.refId}`;
    return `| ${panel} | \`${expr.replaceAll("|", "\\|")}\` | ${series}${absent === null ? "" : ` (${absent})`} |`;
  });
  return `\n| dashboard | panel | query | series |\n|---|---|---|---|\n${rows.join("\n")}\n\n`;
}
