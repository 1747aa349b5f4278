import { ALERTS } from "../alerts.ts";
import type { Dashboard } from "../dashboard.ts";
import { band, section } from "../layout.ts";
import { RUNBOOK_LINK, runbook } from "../links.ts";
import { alertList } from "../panels/alert-list.ts";
import { stat } from "../panels/stat.ts";
import { table } from "../panels/table.ts";
import { timeSeries } from "../panels/time-series.ts";
import { grown, matching, max, min, not, now, orZero, put, share, sum } from "../promql.ts";
import { badFrom, goodFrom, ZONE_COLOURS } from "../zones.ts";

const WATCHDOG = "ContextdWatchdog";

/** Prometheus' own series of the rules of ours that fire. Rules that sum up have no job and no instance. */
const firingOf = (alerts: readonly string[]) => `ALERTS{alertstate="firing", alertname=~"${alerts.join("|")}"}`;
const FIRING = firingOf(ALERTS.filter((alert) => alert !== WATCHDOG));

/** Notices that no attempt will be made for any more. */
const GIVEN_UP = matching("refused|given_up");
const UP = 'up{job=~"$job", instance=~"$instance"}';

const works = { type: "value", options: { "1": { text: "Works", color: ZONE_COLOURS.green, index: 0 } } };
const silent = { type: "value", options: { "0": { text: "SILENT", color: ZONE_COLOURS.red, index: 1 } } };
const SEVERITIES = [
  { type: "value", options: { critical: { color: ZONE_COLOURS.red, index: 0, text: "critical" } } },
  { type: "value", options: { warning: { color: ZONE_COLOURS.orange, index: 1, text: "warning" } } },
];

const tiles = section(
  null,
  band(
    4,
    stat({
      title: "Dead man's switch",
      description: "The alert that always fires. Silent: nobody is told of any other alert, whatever this page shows.",
      expr: put(`max(${firingOf([WATCHDOG])}) or vector(0)`, "ALERTS"),
      unit: "none",
      steps: goodFrom(1),
      mappings: [works, silent],
      shows: "now",
      link: runbook(WATCHDOG),
    }),
    stat({
      title: "Daemons up",
      description: "Daemons that answer Prometheus, of all that it scrapes.",
      expr: put(`sum(${UP}) / count(${UP})`, "up"),
      unit: "percentunit",
      steps: goodFrom(1),
      noValue: "None is scraped",
      shows: "now",
      link: runbook("ContextdDown"),
    }),
    stat({
      title: "Firing: Prometheus",
      description: "Alerts of Prometheus' rules that fire now, the dead man's switch aside.",
      expr: put(`count(${FIRING}) or vector(0)`, "ALERTS"),
      unit: "short",
      steps: badFrom(1),
      shows: "now",
    }),
    stat({
      title: "Firing: the daemons",
      description: "Alerts of the daemons' own rules that fire now; they are pushed at once, with the session in hand.",
      expr: orZero(sum(now("contextd_alerts_firing"))),
      unit: "short",
      steps: badFrom(1),
    }),
    stat({
      title: "Deliveries given up, 1 h",
      description: "Share of the notices of alerts that a sink refused, or that were given up, in the last hour.",
      expr: share(
        sum(grown("contextd_alert_deliveries_total", { outcome: GIVEN_UP }, "1h")),
        sum(grown("contextd_alert_deliveries_total", { outcome: not("retried") }, "1h")),
      ),
      unit: "percentunit",
      decimals: 1,
      steps: badFrom(0.001),
      noValue: "No traffic",
      shows: "now",
      link: runbook("AlertDeliveryFailing"),
    }),
    stat({
      title: "Configuration",
      description: "Whether the last load of the configuration was taken over by every daemon.",
      expr: min(now("contextd_config_last_reload_successful")),
      unit: "none",
      steps: goodFrom(1),
      mappings: [
        { type: "value", options: { "1": { text: "Taken over", color: ZONE_COLOURS.green, index: 0 } } },
        { type: "value", options: { "0": { text: "REFUSED", color: ZONE_COLOURS.red, index: 1 } } },
      ],
      noValue: "None is scraped",
      link: runbook("ConfigReloadFailed"),
    }),
  ),
);

const firing = section(
  "Firing now",
  band(
    10,
    alertList({ title: "Rules", description: "Rules that fire or are about to, the most important first." }),
    table({
      title: "Alerts of Prometheus",
      description: "Alerts that fire in Prometheus. Click a name for its runbook.",
      expr: put(FIRING, "ALERTS"),
      columns: [
        { field: "alertname", title: "Alert", link: RUNBOOK_LINK },
        { field: "severity", title: "Severity", coloured: SEVERITIES, width: 100 },
        { field: "profile", title: "Profile" },
        { field: "instance", title: "Instance" },
      ],
      sortBy: { column: "Severity", descending: false },
      noValue: "Nothing fires",
    }),
    table({
      title: "Alerts of the daemons",
      description: "Alerts that the daemons themselves have raised and not resolved. Click a name for its runbook.",
      expr: sum(now("contextd_alerts_firing"), "alert", "severity", "instance"),
      columns: [
        { field: "alert", title: "Alert", link: RUNBOOK_LINK },
        { field: "severity", title: "Severity", coloured: SEVERITIES, width: 100 },
        { field: "instance", title: "Instance" },
        { field: "Value", title: "Sessions", unit: "short", width: 90 },
      ],
      sortBy: { column: "Severity", descending: false },
      noValue: "Nothing fires",
    }),
  ),
);

const history = section(
  "History",
  band(
    8,
    timeSeries({
      title: "Alerts of Prometheus over time",
      description: "How many of each alert fired.",
      queries: [{ expr: put(`count by (alertname) (${FIRING})`, "ALERTS"), legend: "{{alertname}}" }],
      unit: "short",
      draw: "stack",
      noValue: "Nothing fired",
    }),
    timeSeries({
      title: "Alerts raised by the daemons",
      description: "Alerts that the daemons' own rules raised.",
      queries: [{ expr: sum(grown("contextd_alerts_total"), "alert", "severity"), legend: "{{alert}} ({{severity}})" }],
      unit: "short",
      draw: "bars",
      noValue: "None was raised",
    }),
    timeSeries({
      title: "Alerts of the daemons over time",
      description: "How many of each of the daemons' own alerts fired.",
      queries: [{ expr: sum(now("contextd_alerts_firing"), "alert"), legend: "{{alert}}" }],
      unit: "short",
      draw: "stack",
      noValue: "Nothing fired",
    }),
  ),
);

const delivery = section(
  "Delivery",
  band(
    8,
    timeSeries({
      title: "Deliveries by sink",
      description: "What became of the notices that the daemons send: to Alertmanager, webhooks and the log.",
      queries: [
        { expr: sum(grown("contextd_alert_deliveries_total"), "sink", "outcome"), legend: "{{sink}}: {{outcome}}" },
        {
          expr: sum(grown("contextd_alert_deliveries_dropped_total"), "sink", "reason"),
          legend: "{{sink}}: dropped, {{reason}}",
        },
      ],
      unit: "short",
      draw: "bars",
      noValue: "No deliveries",
      link: runbook("AlertDeliveryFailing"),
    }),
    timeSeries({
      title: "Notices that wait",
      description: "Notices that wait for a sink, those under way included.",
      queries: [{ expr: sum(now("contextd_alert_queue_length"), "sink"), legend: "{{sink}}" }],
      unit: "short",
      noValue: "No sink is configured",
    }),
    timeSeries({
      title: "Pushes into Grafana Live",
      description: "What became of the pushes into Grafana, and lines that were dropped before.",
      queries: [
        { expr: sum(grown("contextd_live_push_total"), "transport", "outcome"), legend: "{{transport}}: {{outcome}}" },
        { expr: sum(grown("contextd_live_push_dropped_total")), legend: "dropped" },
      ],
      unit: "short",
      draw: "bars",
      noValue: "No pushes",
    }),
  ),
  band(
    4,
    stat({
      title: "Last configuration taken over",
      description: "When the configuration in force was loaded, the oldest of all daemons.",
      expr: put(
        `${min(now("contextd_config_last_reload_success_timestamp_seconds")).text} * 1000`,
        "contextd_config_last_reload_success_timestamp_seconds",
      ),
      unit: "dateTimeFromNow",
      noValue: "None is scraped",
      shows: "now",
    }),
    stat({
      title: "Grafana Live",
      description: "Whether anything carries pushes into Grafana now.",
      expr: max(now("contextd_live_push_connected")),
      unit: "none",
      mappings: [
        { type: "value", options: { "1": { text: "Connected", index: 0 } } },
        { type: "value", options: { "0": { text: "Not connected", index: 1 } } },
      ],
      noValue: "Not configured",
    }),
  ),
);

export const alerts: Dashboard = {
  uid: "contextd-alerts",
  title: "contextd / Alerts and on-call",
  description: "What fires, what fired, was anybody told, and would anybody be told?",
  from: "now-6h",
  sections: [tiles, firing, history, delivery],
};
