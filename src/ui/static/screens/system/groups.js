import { el } from "../../draw/dom.js";
import { compact, percent, span, whole } from "../../draw/format.js";
import { emptyRow, rows, warningMark } from "./panel.js";

/** The groups of figures: each takes the report and answers the rows of its panel. */

const HOOKS_SHOWN = 8;

export function hookGroup({ hooks, process }, status, problems) {
  if (hooks.length === 0) return emptyRow("No call has been answered yet.");
  const rest = hooks.slice(HOOKS_SHOWN);
  const calls = rest.reduce((sum, { count }) => sum + count, 0);
  return [
    rows([...hourOfHooks(status, process.started_at), ...allCalls(hooks)]),
    hookTable(hooks.slice(0, HOOKS_SHOWN), problems),
    ...(rest.length === 0
      ? []
      : [el("p.system-empty.hint", {}, `${rest.length} more methods with ${whole(calls)} calls: see metrics.`)]),
  ];
}

/** What agents waited for. */
function hourOfHooks({ hooks, history }, startedAt) {
  const [p99, unit] = ms(hooks.p99_ms);
  const rates = since(history, startedAt, "hooks_per_second");
  return [
    { name: "Hooks, rate", value: rate(hooks.per_second), unit: "/s", line: rates },
    { name: "Hooks, p99", value: p99, unit, line: since(history, startedAt, "p99_ms") },
    { name: "Hook errors", value: whole(hooks.errors), unit: `of ${compact(hooks.total)}` },
  ];
}

/** The hooks and all other calls, the reads of this page among them. */
function allCalls(methods) {
  const sum = (name) => methods.reduce((total, method) => total + method[name], 0);
  return [
    { name: "All calls, rate", value: rate(sum("per_second")), unit: "/s" },
    { name: "All calls, errors", value: whole(sum("errors")), unit: `of ${compact(sum("count"))}` },
  ];
}

/** A column of the last hour without the minutes before the daemon's start. */
function since(history, startedAt, column) {
  const from = history.at.findIndex((minute) => minute + 60_000 > startedAt);
  return history[column].slice(Math.max(0, from));
}

function hookTable(hooks, problems) {
  const head = ["Method", "Calls", "Rate", "p50", "p99", "Errors"];
  return el(
    "table.system-table",
    {},
    el("thead", {}, el("tr", {}, ...head.map((name) => el(`th.col-${name.toLowerCase()}`, { scope: "col" }, name)))),
    el("tbody", {}, ...hooks.map((hook) => hookRow(hook, problems))),
  );
}

function hookRow({ method, count, errors, per_second, p50_ms, p99_ms }, problems) {
  const warning = problems.find((each) => each.part === "hooks" && each.id === method);
  const cell = (name, figure, unit, mark = null) =>
    el(`td.num.col-${name}`, {}, mark, figure, unit === "" ? null : el("span.unit", {}, `\u202f${unit}`));
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, method),
    cell("calls", compact(count), ""),
    cell("rate", rate(per_second), "/s"),
    cell("p50", ...ms(p50_ms)),
    cell("p99", ...ms(p99_ms)),
    cell("errors", whole(errors), "", warning === undefined ? null : warningMark(warning.text)),
  );
}

export function journalRows({ journal, process }, warn) {
  const { settings } = journal;
  const names = { sqlite: "SQLite", postgres: "PostgreSQL", memory: "Memory" };
  const how = [settings.journal_mode, settings.synchronous && `synchronous ${settings.synchronous}`].filter(Boolean);
  return rows([
    { name: "Store", value: [names[journal.store], ...how].join(", ") },
    { name: "Append p99", ...figure(ms(journal.append_p99_ms)), line: process.history.append_p99_ms },
    {
      name: "Batch",
      value: journal.rows_per_commit === null ? "–" : journal.rows_per_commit.toFixed(1),
      unit: journal.rows_per_commit === null ? "" : "rows a commit",
    },
    { name: "Appends", value: compact(journal.appends), unit: "since the start" },
    { name: "Size", ...figure(bytes(journal.file_bytes)) },
    { name: "Write-ahead log", ...figure(bytes(journal.wal_bytes)), warning: warn("wal") },
    { name: "Waiting", value: whole(journal.queued), unit: "rows", warning: warn("queued") },
    { name: "Errors", value: whole(journal.errors), unit: "since the start", warning: warn("errors") },
  ]);
}

export function processRows({ process, outputs, config, at }, warn) {
  const { reload } = config;
  const reloaded =
    reload === null ? "as at the start" : `${reload.successful ? "reloaded" : "refused"} ${ago(at - reload.at)}`;
  return rows([
    {
      name: "Event-loop delay p99",
      ...figure(ms(process.loop_p99_ms)),
      line: process.history.loop_p99_ms,
      warning: warn("loop"),
    },
    { name: "Memory", ...figure(bytes(process.rss_bytes)), line: process.history.rss_bytes },
    { name: "Sessions in memory", value: whole(process.sessions_in_memory) },
    { name: "Stream clients", value: whole(outputs.events.clients) },
    { name: "Events dropped", value: whole(outputs.events.dropped), unit: "since the start" },
    { name: "Up for", value: span(process.uptime_seconds * 1000) },
    { name: "Process", value: String(process.pid), unit: `Node ${process.node.replace(/^v/, "")}` },
    { name: "Config", value: reloaded, warning: warn("config") },
  ]);
}

export function modelRows({ models }, warn) {
  if (models.length === 0)
    return emptyRow("No helping model is configured: summaries and judgements are made by rules.");
  return rows(
    models.flatMap((model) => {
      const role = model.role === "judge" ? "Judge" : "Summarizer";
      const failed = Object.entries(model.failures);
      const total = failed.reduce((sum, [, n]) => sum + n, 0);
      const breaker = model.breaker === null ? "shares the breaker" : `breaker ${model.breaker.replace("_", " ")}`;
      return [
        { name: role, value: `${model.model}, ${breaker}`, unit: `by ${model.provider}`, warning: warn(model.role) },
        { name: `${role}, calls`, value: whole(model.calls), unit: "since the start" },
        {
          name: `${role}, failed`,
          value: whole(total),
          unit: total === 0 ? `of ${whole(model.calls)}` : failed.map(([reason, n]) => `${reason} ${n}`).join(", "),
        },
        model.mean_seconds === null
          ? null
          : { name: `${role}, time`, value: model.mean_seconds.toFixed(1), unit: "s a call" },
        model.usd === null ? null : { name: `${role}, cost`, value: model.usd.toFixed(2), unit: "USD" },
      ].filter((each) => each !== null);
    }),
  );
}

export function estimatorRows({ estimator, process }, status, warn) {
  if (estimator.length === 0) return emptyRow("No provider has reported the size of a prompt yet.");
  const all = { name: "All models", value: signedShare(status.estimator_error ?? 0), unit: "before the factor" };
  return rows([
    { ...all, line: since(status.history, process.started_at, "count_error") },
    ...estimator.map(({ model, factor, error, n }) => ({
      name: model,
      value: signedShare(error),
      unit: `taken × ${factor.toFixed(3)}, ${compact(n)} ${n === 1 ? "prompt" : "prompts"}`,
      warning: warn(model),
    })),
  ]);
}

export function outputRows({ outputs, at }, warn) {
  const { prometheus, grafana_live: live, alert_sinks: sinks, otlp, events } = outputs;
  const scraped = prometheus.last_scrape_at;
  return rows([
    { name: "Prometheus", value: scraped === null ? "never scraped" : `scraped ${ago(at - scraped)}` },
    {
      name: "Grafana Live",
      value: live === null ? "off" : live.connected === null ? "not connected" : `connected, ${live.connected}`,
      unit: live === null ? "" : `${whole(live.waiting)} waiting, ${whole(live.dropped)} dropped`,
      warning: warn("grafana_live"),
    },
    ...(sinks.length === 0 ? [{ name: "Alert sinks", value: "none configured" }] : []),
    ...sinks.map(({ sink, waiting, outcomes }) => ({
      name: sink,
      value: whole(outcomes.ok ?? 0),
      unit: `delivered, ${whole(waiting)} waiting, ${whole((outcomes.given_up ?? 0) + (outcomes.refused ?? 0))} given up`,
      warning: warn(sink),
    })),
    {
      name: "OTLP",
      value: otlp === null ? "off" : whole(otlp.sent ?? 0),
      unit: otlp === null ? "" : "spans sent",
      warning: warn("otlp"),
    },
    {
      name: "Event stream",
      value: whole(events.clients),
      unit: `${events.clients === 1 ? "client" : "clients"}, ${whole(events.evicted)} cut off`,
      warning: warn("events"),
    },
  ]);
}

function figure([value, unit]) {
  return { value, unit };
}

function rate(perSecond) {
  if (perSecond > 0 && perSecond < 0.05) return "< 0.1";
  return perSecond >= 10 || perSecond === 0 ? whole(perSecond) : perSecond.toFixed(1);
}

function ms(value) {
  if (value === null) return ["–", ""];
  return [value >= 100 ? whole(value) : value >= 10 ? value.toFixed(1) : value.toFixed(2), "ms"];
}

function bytes(n) {
  for (const [size, unit] of [
    [2 ** 30, "GB"],
    [2 ** 20, "MB"],
    [2 ** 10, "kB"],
  ]) {
    if (n >= size) return [n / size >= 100 ? whole(n / size) : (n / size).toFixed(n / size >= 10 ? 1 : 2), unit];
  }
  return [whole(n), "B"];
}

function signedShare(ratio) {
  const words = percent(Math.abs(ratio));
  return words === "0.0%" ? words : `${ratio < 0 ? "−" : "+"}${words}`;
}

export function ago(ms) {
  return ms < 1000 ? "just now" : `${span(ms)} ago`;
}
