import type { Dashboard } from "../dashboard.ts";
import { band, section } from "../layout.ts";
import { runbook } from "../links.ts";
import { heatmap } from "../panels/heatmap.ts";
import { stat } from "../panels/stat.ts";
import { timeSeries } from "../panels/time-series.ts";
import {
  buckets,
  grown,
  growth,
  max,
  mean,
  not,
  now,
  observations,
  observed,
  orZero,
  perSecond,
  put,
  quantile,
  share,
  sum,
} from "../promql.ts";
import { ERROR_BUDGET, FAULTS, SLOW_HOOK_SECONDS } from "../slo.ts";
import { badFrom, worseFrom } from "../zones.ts";

const calls = "contextd_hook_requests_total";
const seconds = "contextd_hook_duration_seconds";

const red = section(
  "Calls: rate, errors, duration",
  band(
    8,
    timeSeries({
      title: "Calls by method",
      description: "Calls answered in a second.",
      queries: [{ expr: sum(perSecond(calls), "method"), legend: "{{method}}" }],
      unit: "reqps",
      draw: "stack",
      noValue: "No traffic",
    }),
    timeSeries({
      title: "Faults of the daemon",
      description: "Share of all calls that were answered with a fault of the daemon, not of the caller.",
      queries: [{ expr: share(sum(perSecond(calls, { outcome: FAULTS })), sum(perSecond(calls))), legend: "faults" }],
      unit: "percentunit",
      steps: badFrom(ERROR_BUDGET),
      noValue: "No traffic",
      link: runbook("HookErrorBudgetBurn"),
    }),
    timeSeries({
      title: "Duration by method, p99",
      description: "99 of 100 calls of each method were answered, durably, within this time.",
      queries: [{ expr: quantile(0.99, seconds, ["method"]), legend: "{{method}}" }],
      unit: "s",
      steps: badFrom(SLOW_HOOK_SECONDS),
      noValue: "No traffic",
      exemplar: true,
      link: runbook("HookLatencyHigh"),
    }),
  ),
  band(
    8,
    timeSeries({
      title: "Refusals by reason",
      description: "Calls that were not answered with `ok`, the callers' own mistakes included.",
      queries: [
        { expr: sum(grown(calls, { outcome: not("ok") }), "method", "outcome"), legend: "{{method}}: {{outcome}}" },
      ],
      unit: "short",
      draw: "bars",
      noValue: "None was refused",
    }),
    timeSeries({
      title: "Calls by transport",
      description: "Calls answered in a second, over HTTP and over the WebSocket.",
      queries: [{ expr: sum(perSecond(calls), "transport"), legend: "{{transport}}" }],
      unit: "reqps",
      noValue: "No traffic",
    }),
    heatmap({
      title: "Durations",
      description: "How long calls took, all methods. The marks lead to single sessions.",
      expr: buckets(seconds),
      unit: "s",
      exemplar: true,
    }),
  ),
);

const journal = section(
  "Journal",
  band(
    8,
    timeSeries({
      title: "Group commits",
      description: "Time of a group commit, fsync included: the median and the slowest hundredth.",
      queries: [
        { expr: quantile(0.5, "contextd_journal_append_duration_seconds", ["store"]), legend: "{{store}} p50" },
        { expr: quantile(0.99, "contextd_journal_append_duration_seconds", ["store"]), legend: "{{store}} p99" },
      ],
      unit: "s",
      noValue: "No commits",
    }),
    timeSeries({
      title: "Rows of a commit, rows that wait",
      description: "Mean rows of a group commit, and rows that wait for the next.",
      queries: [
        { expr: mean("contextd_journal_batch_size", ["store"]), legend: "{{store}} in a commit" },
        { expr: sum(now("contextd_journal_queue_rows"), "store"), legend: "{{store}} waiting" },
      ],
      unit: "short",
    }),
    timeSeries({
      title: "Store errors",
      description: "Appends that the store refused or failed: what they belonged to did not take effect.",
      queries: [{ expr: sum(grown("contextd_store_errors_total"), "store", "op"), legend: "{{store}} {{op}}" }],
      unit: "short",
      draw: "bars",
      noValue: "No errors",
      link: runbook("JournalErrors"),
    }),
    timeSeries({
      title: "Size on disk",
      description: "Bytes of the store's files.",
      queries: [{ expr: sum(now("contextd_journal_size_bytes"), "store", "file"), legend: "{{store}} {{file}}" }],
      unit: "bytes",
      draw: "stack",
    }),
  ),
);

const gc = sum(observed("nodejs_gc_duration_seconds"), "kind");

const runtime = section(
  "Process",
  band(
    4,
    stat({
      title: "Up since",
      description: "When the youngest of the daemons started.",
      expr: put(`${max(now("process_start_time_seconds")).text} * 1000`, "process_start_time_seconds"),
      unit: "dateTimeFromNow",
      noValue: "None is scraped",
      shows: "now",
    }),
    stat({
      title: "Event loop, p99",
      description: "How late the worst event loop ran since the last scrape.",
      expr: max(now("nodejs_eventloop_lag_p99_seconds")),
      unit: "s",
      steps: worseFrom(0.05, 0.2),
    }),
    stat({
      title: "Resident memory",
      description: "Memory of all daemons that are chosen.",
      expr: sum(now("process_resident_memory_bytes")),
      unit: "bytes",
    }),
    stat({
      title: "Open files",
      description: "File descriptors of the daemon that has most.",
      expr: max(now("process_open_fds")),
      unit: "short",
    }),
    stat({
      title: "Event stream clients",
      description: "Subscribers of /events.",
      expr: sum(now("contextd_event_stream_clients")),
      unit: "short",
    }),
    stat({
      title: "Model cost, 1 h",
      description: "What calls to models cost in the last hour; models without a price add nothing.",
      expr: orZero(sum(growth("contextd_llm_cost_usd_total", {}, "1h"))),
      unit: "currencyUSD",
      shows: "now",
    }),
  ),
  band(
    8,
    timeSeries({
      title: "Event loop",
      description: "How late the event loop ran since the last scrape.",
      queries: [
        { expr: max(now("nodejs_eventloop_lag_p50_seconds"), "instance"), legend: "{{instance}} p50" },
        { expr: max(now("nodejs_eventloop_lag_p99_seconds"), "instance"), legend: "{{instance}} p99" },
        { expr: max(now("nodejs_eventloop_lag_max_seconds"), "instance"), legend: "{{instance}} worst" },
      ],
      unit: "s",
    }),
    timeSeries({
      title: "CPU",
      description: "CPUs that the daemon keeps busy.",
      queries: [
        { expr: sum(perSecond("process_cpu_user_seconds_total"), "instance"), legend: "{{instance}} user" },
        { expr: sum(perSecond("process_cpu_system_seconds_total"), "instance"), legend: "{{instance}} system" },
      ],
      unit: "none",
      draw: "stack",
    }),
    timeSeries({
      title: "Memory",
      description: "Resident memory, and what JavaScript holds of it.",
      queries: [
        { expr: sum(now("process_resident_memory_bytes"), "instance"), legend: "{{instance}} resident" },
        { expr: sum(now("nodejs_heap_size_used_bytes"), "instance"), legend: "{{instance}} heap used" },
        { expr: sum(now("nodejs_heap_size_total_bytes"), "instance"), legend: "{{instance}} heap reserved" },
        { expr: sum(now("nodejs_external_memory_bytes"), "instance"), legend: "{{instance}} buffers" },
      ],
      unit: "bytes",
    }),
    timeSeries({
      title: "Garbage collection",
      description: "Share of the time that the daemon stands still for it.",
      queries: [{ expr: gc, legend: "{{kind}}" }],
      unit: "percentunit",
      draw: "stack",
    }),
  ),
);

const stream = section(
  "Event stream",
  band(
    7,
    timeSeries({
      title: "Subscribers",
      description: "Subscribers of /events.",
      queries: [{ expr: sum(now("contextd_event_stream_clients"), "instance"), legend: "{{instance}}" }],
      unit: "short",
    }),
    timeSeries({
      title: "Events not delivered",
      description: "Events that a subscriber was owed and did not get, and subscribers cut off for not keeping up.",
      queries: [
        { expr: sum(growth("contextd_event_stream_dropped_total")), legend: "events" },
        { expr: sum(growth("contextd_event_stream_evicted_total")), legend: "subscribers cut off" },
      ],
      unit: "short",
      draw: "bars",
      link: runbook("EventStreamDropping"),
    }),
    timeSeries({
      title: "Spans",
      description: "What became of the spans for the collector: sent, rejected, given up, dropped from a full queue.",
      queries: [{ expr: sum(growth("contextd_otlp_spans_total"), "outcome"), legend: "{{outcome}}" }],
      unit: "short",
      draw: "bars",
      noValue: "No collector is configured",
    }),
  ),
);

const llm = section(
  "Models",
  band(
    8,
    timeSeries({
      title: "Calls by outcome",
      description: "Calls to models that write summaries or judge them; those refused before they were sent included.",
      queries: [
        {
          expr: sum(grown("contextd_llm_requests_total"), "gen_ai_request_model", "role", "outcome"),
          legend: "{{gen_ai_request_model}} {{role}}: {{outcome}}",
        },
        {
          expr: sum(grown("contextd_llm_retries_total"), "gen_ai_request_model", "role"),
          legend: "{{gen_ai_request_model}} {{role}}: retried",
        },
      ],
      unit: "short",
      draw: "bars",
      noValue: "No calls",
    }),
    timeSeries({
      title: "Duration of calls",
      description: "The median and the slowest twentieth, with the wait in the queue and between attempts.",
      queries: [
        {
          expr: quantile(0.5, "contextd_llm_request_duration_seconds", ["gen_ai_request_model", "role"]),
          legend: "{{gen_ai_request_model}} {{role}} p50",
        },
        {
          expr: quantile(0.95, "contextd_llm_request_duration_seconds", ["gen_ai_request_model", "role"]),
          legend: "{{gen_ai_request_model}} {{role}} p95",
        },
      ],
      unit: "s",
      noValue: "No calls",
    }),
    timeSeries({
      title: "Tokens of calls",
      description: "Tokens of calls to models as their providers report them.",
      queries: [
        {
          expr: sum(growth("contextd_llm_tokens_total"), "gen_ai_request_model", "gen_ai_token_type"),
          legend: "{{gen_ai_request_model}} {{gen_ai_token_type}}",
        },
      ],
      unit: "short",
      draw: "stack",
      noValue: "No calls",
    }),
    timeSeries({
      title: "Circuit breakers",
      description: "Before each model: 0 closed, 1 one call tries, 2 calls are refused at once.",
      queries: [
        {
          expr: max(now("contextd_llm_breaker_state"), "gen_ai_request_model", "instance"),
          legend: "{{gen_ai_request_model}} {{instance}}",
        },
      ],
      unit: "none",
      max: 2,
      noValue: "No model is configured",
    }),
  ),
);

const error = "contextd_estimator_error_ratio";
const signed = (direction: "over" | "under") =>
  `(sum by (model) (${observed(error, { direction }).text}) or 0 * sum by (model) (${observations(error).text}))`;

const estimator = section(
  "Estimates",
  band(
    8,
    timeSeries({
      title: "Estimator's error, signed",
      description: "Mean of the estimate of a prompt over the reported count, less one: above zero it counts too much.",
      queries: [
        {
          expr: put(
            `(${signed("over")} - ${signed("under")}) / (sum by (model) (${observations(error).text}) > 0)`,
            error,
          ),
          legend: "{{model}}",
        },
      ],
      unit: "percentunit",
      isSigned: true,
      noValue: "No usage was reported",
      link: runbook("EstimatorDrift"),
    }),
    timeSeries({
      title: "Estimator's error, p95",
      description: "19 of 20 estimates were this near to the reported count, by tokenizer.",
      queries: [{ expr: quantile(0.95, error, ["model", "tokenizer"]), legend: "{{model}} ({{tokenizer}})" }],
      unit: "percentunit",
      noValue: "No usage was reported",
    }),
    timeSeries({
      title: "Calibration",
      description: "Learned factor of reported over estimated tokens.",
      queries: [
        { expr: max(now("contextd_calibration_factor"), "model", "tokenizer"), legend: "{{model}} ({{tokenizer}})" },
      ],
      unit: "none",
      noValue: "Nothing was learned yet",
    }),
  ),
);

export const daemon: Dashboard = {
  uid: "contextd-daemon",
  title: "contextd / Daemon internals",
  description: "Is the daemon itself well: its calls, journal, event loop, memory, subscribers, models and estimates?",
  sections: [red, journal, runtime, stream, llm, estimator],
};
