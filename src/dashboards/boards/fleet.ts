import type { Dashboard } from "../dashboard.ts";
import { band, section, wide } from "../layout.ts";
import { board, SESSION_LINK } from "../links.ts";
import { alertList } from "../panels/alert-list.ts";
import { barGauge } from "../panels/bar-gauge.ts";
import { heatmap } from "../panels/heatmap.ts";
import { stat } from "../panels/stat.ts";
import { table } from "../panels/table.ts";
import { timeSeries } from "../panels/time-series.ts";
import { buckets, grown, growth, max, now, orZero, perSecond, quantile, share, shareUpTo, sum } from "../promql.ts";
import { ERROR_BUDGET, FAULTS, HOOKS, SLOW_HOOK_SECONDS } from "../slo.ts";
import { badFrom, worseFrom, ZONE_SERIES, ZONE_STEPS } from "../zones.ts";

const HOUR = "1h";

const tiles = band(
  4,
  stat({
    title: "Sessions",
    description: "Open sessions of all daemons that are chosen above.",
    expr: orZero(sum(now("contextd_sessions"))),
    unit: "short",
  }),
  stat({
    title: "Red sessions",
    description: "Open sessions whose context is in the red zone now.",
    expr: orZero(sum(now("contextd_sessions", { zone: "red" }))),
    unit: "short",
    steps: badFrom(1),
    link: board("Pressure and budgets", "contextd-pressure"),
  }),
  stat({
    title: "Hooks per second",
    description: "Calls that agents make before and after their turns and tools.",
    expr: sum(perSecond("contextd_hook_requests_total", { method: HOOKS })),
    unit: "reqps",
    noValue: "No traffic",
    link: board("Daemon internals", "contextd-daemon"),
  }),
  stat({
    title: "Hook p99",
    description: "99 of 100 hooks were answered, durably, within this time.",
    expr: quantile(0.99, "contextd_hook_duration_seconds", [], { method: HOOKS }),
    unit: "s",
    steps: worseFrom(SLOW_HOOK_SECONDS / 2, SLOW_HOOK_SECONDS),
    noValue: "No traffic",
    link: board("Daemon internals", "contextd-daemon"),
  }),
  stat({
    title: "Errors",
    description: "Share of hooks that were answered with a fault of the daemon; the SLO allows one in a thousand.",
    expr: share(
      sum(perSecond("contextd_hook_requests_total", { method: HOOKS, outcome: FAULTS })),
      sum(perSecond("contextd_hook_requests_total", { method: HOOKS })),
    ),
    unit: "percentunit",
    decimals: 2,
    steps: worseFrom(ERROR_BUDGET, 10 * ERROR_BUDGET),
    noValue: "No traffic",
    link: board("Daemon internals", "contextd-daemon"),
  }),
  stat({
    title: "Overflows, 1 h",
    description: "Prompts that a provider refused as too long in the last hour.",
    expr: orZero(sum(grown("contextd_overflows_total", {}, HOUR))),
    unit: "short",
    decimals: 0,
    steps: badFrom(1),
    shows: "now",
    link: board("Pressure and budgets", "contextd-pressure"),
  }),
  stat({
    title: "Alerts firing",
    description: "Alerts of the daemon's own rules that are firing now.",
    expr: orZero(sum(now("contextd_alerts_firing"))),
    unit: "short",
    steps: badFrom(1),
    link: board("Alerts and on-call", "contextd-alerts"),
  }),
  stat({
    title: "Tokens saved, 1 h",
    description:
      "Tokens that edits took out of contexts in the last hour: none of them is sent again in any later turn.",
    expr: orZero(sum(growth("contextd_tokens_freed_total", {}, HOUR))),
    unit: "short",
    shows: "now",
    link: board("Eviction and compression", "contextd-eviction"),
  }),
);

const utilization = section(
  "How full",
  band(
    9,
    heatmap({
      title: "Utilization of contexts",
      description:
        "How full the contexts were at the start of each turn, before any edit. The marks lead to single sessions.",
      expr: buckets("contextd_context_utilization_ratio"),
      unit: "percentunit",
      exemplar: true,
    }),
    timeSeries({
      title: "Sessions by zone",
      description: "Open sessions in each zone.",
      queries: [{ expr: sum(now("contextd_sessions"), "zone"), legend: "{{zone}}" }],
      unit: "short",
      draw: "stack",
      overrides: ZONE_SERIES,
    }),
  ),
);

const sessions = section(
  "Which sessions",
  band(
    10,
    wide(
      12,
      table({
        title: "Fullest sessions",
        description: "The fullest open sessions. Click a session to see why it is full, in the daemon's own page.",
        expr: max(now("contextd_top_session_utilization_ratio"), "session_id", "profile", "instance"),
        columns: [
          { field: "session_id", title: "Session", link: SESSION_LINK },
          { field: "profile", title: "Profile", width: 140 },
          { field: "instance", title: "Instance", width: 160 },
          { field: "Value", title: "Utilization", unit: "percentunit", bar: ZONE_STEPS },
        ],
        sortBy: { column: "Utilization", descending: true },
        noValue: "No session is open",
      }),
    ),
    wide(
      6,
      barGauge({
        title: "Forecast: red soon",
        description:
          "Of the turns of growing sessions, the share whose forecast said that the context is red within so many turns.",
        queries: [1, 3, 5, 8, 13].map((turns) => ({
          expr: shareUpTo(turns, "contextd_turns_until_red"),
          legend: `Within ${turns} ${turns === 1 ? "turn" : "turns"}`,
        })),
        unit: "percentunit",
        max: 1,
        noValue: "No session grows",
      }),
    ),
    wide(
      6,
      timeSeries({
        title: "Sessions by status",
        description: "Open sessions by what the daemon does for them.",
        queries: [{ expr: sum(now("contextd_sessions"), "status"), legend: "{{status}}" }],
        unit: "short",
        draw: "stack",
      }),
    ),
  ),
  band(
    8,
    wide(12, alertList({ title: "Alerts", description: "What fires now or is about to, the most important first." })),
    wide(
      8,
      table({
        title: "Daemons",
        description: "The builds that are running.",
        expr: now("contextd_build_info"),
        columns: [
          { field: "instance", title: "Instance" },
          { field: "version", title: "Version" },
          { field: "revision", title: "Revision" },
          { field: "node", title: "Node" },
        ],
        sortBy: { column: "Instance", descending: false },
        noValue: "No daemon is scraped",
      }),
    ),
    wide(
      4,
      stat({
        title: "Sessions not listed",
        description: "Open sessions that the table of the fullest leaves out.",
        expr: orZero(sum(now("contextd_top_sessions_truncated"))),
        unit: "short",
      }),
    ),
  ),
);

export const fleet: Dashboard = {
  uid: "contextd-fleet",
  title: "contextd / Fleet overview",
  description:
    "Is the fleet well, and if not, which session is it? Begin here; each tile leads to the dashboard that explains it.",
  sections: [section(null, tiles), utilization, sessions],
};
