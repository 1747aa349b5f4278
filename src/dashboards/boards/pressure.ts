import type { Dashboard } from "../dashboard.ts";
import { band, section } from "../layout.ts";
import { barGauge } from "../panels/bar-gauge.ts";
import { timeSeries } from "../panels/time-series.ts";
import { grown, max, mean, meanOf, now, put, quantile, sum } from "../promql.ts";
import { badFrom, ZONE_SERIES, ZONE_STEPS } from "../zones.ts";

/** A turn that grows by so many times its session's baseline is a spike (alert BurnRateSpike). */
const SPIKE = 3;
/** Share of a context that tool results may hold (alert ToolResultBloat). */
const BLOAT = 0.3;

/** The mean growth now over that of the last hour. */
const VELOCITY = "contextd_context_velocity_tokens_per_turn";
const againstLastHour = put<"profile">(
  `(${mean(VELOCITY, ["profile"]).text}) / (${meanOf("1h", VELOCITY, ["profile"]).text})`,
  VELOCITY,
);

const howFull = section(
  "How full",
  band(
    8,
    timeSeries({
      title: "Utilization by profile",
      description: "How full contexts were at the start of a turn: the median, and the fullest twentieth.",
      queries: [
        { expr: quantile(0.5, "contextd_context_utilization_ratio", ["profile"]), legend: "{{profile}} p50" },
        { expr: quantile(0.95, "contextd_context_utilization_ratio", ["profile"]), legend: "{{profile}} p95" },
      ],
      unit: "percentunit",
      steps: ZONE_STEPS,
      noValue: "No turns",
      exemplar: true,
    }),
    timeSeries({
      title: "Utilization by model",
      description: "How full contexts were at the start of a turn, the fullest twentieth of each model.",
      queries: [{ expr: quantile(0.95, "contextd_context_utilization_ratio", ["model"]), legend: "{{model}} p95" }],
      unit: "percentunit",
      steps: ZONE_STEPS,
      noValue: "No turns",
    }),
    timeSeries({
      title: "Zone changes",
      description: "Sessions that went into each zone, whichever way.",
      queries: [{ expr: sum(grown("contextd_zone_transitions_total"), "to"), legend: "to {{to}}" }],
      unit: "short",
      draw: "bars",
      overrides: ZONE_SERIES,
      noValue: "No session changed its zone",
    }),
  ),
);

const howFast = section(
  "How fast",
  band(
    8,
    timeSeries({
      title: "Velocity",
      description: "Tokens that contexts grow by in a turn: the mean over a session's last turns.",
      queries: [
        { expr: quantile(0.5, VELOCITY, ["profile"]), legend: "{{profile}} p50" },
        { expr: quantile(0.95, VELOCITY, ["profile"]), legend: "{{profile}} p95" },
      ],
      unit: "short",
      noValue: "No turns",
    }),
    timeSeries({
      title: "Burn rate against the last hour",
      description: "Mean growth a turn now, over that of the last hour. Three times as much is a spike.",
      queries: [{ expr: againstLastHour, legend: "{{profile}}" }],
      unit: "short",
      steps: badFrom(SPIKE),
      noValue: "No turns",
    }),
    timeSeries({
      title: "Velocity spikes",
      description: "Turns that grew by more than the spike factor times their session's baseline.",
      queries: [{ expr: sum(grown("contextd_velocity_spikes_total"), "profile"), legend: "{{profile}}" }],
      unit: "short",
      draw: "bars",
      noValue: "No spikes",
    }),
  ),
  band(
    8,
    timeSeries({
      title: "Turns until red",
      description: "Forecast turns until a growing context is red: the soonest tenth, and the median.",
      queries: [
        { expr: quantile(0.1, "contextd_turns_until_red", ["profile"]), legend: "{{profile}} p10" },
        { expr: quantile(0.5, "contextd_turns_until_red", ["profile"]), legend: "{{profile}} p50" },
      ],
      unit: "short",
      noValue: "No session grows",
    }),
    timeSeries({
      title: "Error of the forecast",
      description: "When red was reached: how many turns sooner (early) or later (late) than forecast, on average.",
      queries: [{ expr: mean("contextd_forecast_error_turns", ["direction"]), legend: "{{direction}}" }],
      unit: "short",
      noValue: "No session has reached red",
    }),
  ),
);

const budgets = section(
  "Budgets",
  band(
    9,
    timeSeries({
      title: "Tokens by component",
      description: "What the open sessions' windows hold, summed.",
      queries: [{ expr: sum(now("contextd_component_tokens"), "component"), legend: "{{component}}" }],
      unit: "short",
      draw: "stack",
    }),
    barGauge({
      title: "Worst budget of each component",
      description: "Share of its hard limit that the worst of the open sessions has used; full is the hard limit.",
      queries: [{ expr: max(now("contextd_component_budget_ratio"), "component"), legend: "{{component}}" }],
      unit: "percentunit",
      steps: ZONE_STEPS,
      max: 1,
      noValue: "No session is open",
    }),
    timeSeries({
      title: "Over the limits",
      description: "Times that a component went over its soft or hard limit.",
      queries: [
        {
          expr: sum(grown("contextd_budget_violations_total"), "component", "limit"),
          legend: "{{component}}, {{limit}}",
        },
      ],
      unit: "short",
      draw: "bars",
      noValue: "No limit was passed",
    }),
  ),
  band(
    8,
    timeSeries({
      title: "Floor",
      description: "Worst irreducible floor of the open sessions over their window: what nothing can free.",
      queries: [{ expr: max(now("contextd_floor_ratio"), "profile"), legend: "{{profile}}" }],
      unit: "percentunit",
      steps: ZONE_STEPS,
    }),
    timeSeries({
      title: "Tool results in the context",
      description: "Share of the context that tool results hold; above the line they crowd out the rest.",
      queries: [
        { expr: quantile(0.5, "contextd_tool_result_bloat_ratio", ["profile"]), legend: "{{profile}} p50" },
        { expr: quantile(0.95, "contextd_tool_result_bloat_ratio", ["profile"]), legend: "{{profile}} p95" },
      ],
      unit: "percentunit",
      steps: badFrom(BLOAT),
      noValue: "No turns",
    }),
  ),
);

const windows = section(
  "Past the window",
  band(
    8,
    timeSeries({
      title: "Overflows",
      description: "Prompts that a provider refused as too long, and what was answered to them.",
      queries: [
        { expr: sum(grown("contextd_overflows_total"), "profile"), legend: "{{profile}} refused" },
        {
          expr: sum(grown("contextd_overflow_recoveries_total"), "profile", "outcome"),
          legend: "{{profile}} {{outcome}}",
        },
      ],
      unit: "short",
      draw: "bars",
      noValue: "No overflows",
    }),
    timeSeries({
      title: "Windows opened",
      description: "Windows that sessions began, by what led to them.",
      queries: [{ expr: sum(grown("contextd_windows_opened_total"), "cause"), legend: "{{cause}}" }],
      unit: "short",
      draw: "bars",
      noValue: "None was opened",
    }),
    timeSeries({
      title: "Windows learned",
      description: "Models whose window turned out to be of another size, and who told it.",
      queries: [
        {
          expr: sum(grown("contextd_windows_learned_total"), "model", "learned_from"),
          legend: "{{model}}, {{learned_from}}",
        },
      ],
      unit: "short",
      draw: "bars",
      noValue: "Nothing new was learned",
    }),
    timeSeries({
      title: "Checkpoints",
      description: "Checkpoints saved, restored and rejected.",
      queries: [{ expr: sum(grown("contextd_checkpoints_total"), "outcome"), legend: "{{outcome}}" }],
      unit: "short",
      draw: "bars",
      noValue: "No checkpoints",
    }),
  ),
);

export const pressure: Dashboard = {
  uid: "contextd-pressure",
  title: "contextd / Pressure and budgets",
  description: "How full are contexts, how fast do they fill, what fills them, and what of it can never be freed?",
  sections: [howFull, howFast, budgets, windows],
};
