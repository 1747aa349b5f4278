import type { Dashboard } from "../dashboard.ts";
import { band, section } from "../layout.ts";
import { heatmap } from "../panels/heatmap.ts";
import { stat } from "../panels/stat.ts";
import { timeSeries } from "../panels/time-series.ts";
import {
  buckets,
  grown,
  growth,
  matching,
  mean,
  now,
  observations,
  orZero,
  over,
  perSecond,
  quantile,
  share,
  sum,
} from "../promql.ts";
import { badFrom, goodFrom } from "../zones.ts";

/** Blocks a turn above which EvictionRateHigh fires, and ratios under which CompressionIneffective and FidelityLow do. */
const EVICTIONS_A_TURN = 5;
const LEAST_COMPRESSION = 2;
const LEAST_FIDELITY = 0.75;

const TURNS = "contextd_context_utilization_ratio";
const evictedATurn = over(
  sum(perSecond("contextd_blocks_evicted_total"), "profile"),
  sum(observations(TURNS), "profile"),
);

const tiles = section(
  null,
  band(
    4,
    stat({
      title: "Tokens freed per second",
      description: "Tokens that edits take out of contexts.",
      expr: orZero(sum(perSecond("contextd_tokens_freed_total"))),
      unit: "short",
    }),
    stat({
      title: "Compression",
      description: "Mean of tokens before a pass over tokens after it.",
      expr: mean("contextd_compression_ratio"),
      unit: "short",
      decimals: 1,
      steps: goodFrom(LEAST_COMPRESSION),
      noValue: "No passes",
    }),
    stat({
      title: "Fidelity",
      description: "Mean share of the facts asked for that the context still tells after a pass.",
      expr: mean("contextd_fidelity_ratio", [], { probe: "overall" }),
      unit: "percentunit",
      steps: goodFrom(LEAST_FIDELITY),
      noValue: "No passes",
    }),
    stat({
      title: "Regret",
      description:
        "Blocks that were needed again within ten turns, as a share of all blocks taken out in the last hour.",
      expr: share(
        sum(growth("contextd_regret_total", {}, "1h")),
        sum(growth("contextd_blocks_evicted_total", {}, "1h")),
      ),
      unit: "percentunit",
      decimals: 1,
      steps: badFrom(0.1),
      noValue: "No evictions",
      shows: "now",
    }),
    stat({
      title: "Cache hits",
      description: "Mean share of a prompt that the provider read from its cache, where its usage says so.",
      expr: mean("contextd_prefix_cache_hit_ratio"),
      unit: "percentunit",
      noValue: "Not reported",
    }),
    stat({
      title: "Payback",
      description: "Turns after which an edit has saved what it cost in the provider's cache, the median.",
      expr: quantile(0.5, "contextd_edit_payback_turns"),
      unit: "short",
      decimals: 1,
      noValue: "No edits",
    }),
  ),
);

const takenOut = section(
  "What is taken out",
  band(
    8,
    timeSeries({
      title: "Tokens freed by policy",
      description: "Tokens that edits took out of contexts, by the policy that chose them.",
      queries: [{ expr: sum(growth("contextd_tokens_freed_total"), "policy"), legend: "{{policy}}" }],
      unit: "short",
      draw: "stack",
      noValue: "No edits",
    }),
    timeSeries({
      title: "Tokens freed by type and method",
      description: "What the blocks were, and what was done to them.",
      queries: [
        {
          expr: sum(growth("contextd_tokens_freed_total"), "block_type", "method"),
          legend: "{{block_type}}, {{method}}",
        },
      ],
      unit: "short",
      draw: "stack",
      noValue: "No edits",
    }),
    timeSeries({
      title: "Blocks taken out per turn",
      description: "Blocks cleared, dropped, merged, cut or summarised for each turn of a model.",
      queries: [{ expr: evictedATurn, legend: "{{profile}}" }],
      unit: "short",
      steps: badFrom(EVICTIONS_A_TURN),
      noValue: "No turns",
    }),
  ),
);

const passes = section(
  "Passes and the break-even gate",
  band(
    8,
    timeSeries({
      title: "Passes made",
      description: "Passes over a context, by strategy and what caused them.",
      queries: [
        {
          expr: sum(grown("contextd_compactions_total", { outcome: "ok" }), "strategy", "reason"),
          legend: "{{strategy}}, {{reason}}",
        },
      ],
      unit: "short",
      draw: "bars",
      noValue: "No passes",
    }),
    timeSeries({
      title: "Passes not made",
      description:
        "Passes that were skipped, by reason; `break_even` is the gate: the edit would have cost more than it saves.",
      queries: [
        { expr: sum(grown("contextd_compactions_total", { outcome: "skipped" }), "reason"), legend: "{{reason}}" },
      ],
      unit: "short",
      draw: "bars",
      noValue: "None was skipped",
    }),
    timeSeries({
      title: "Passes that failed",
      description: "Passes and summaries that failed or were dropped, by reason.",
      queries: [
        {
          expr: sum(
            grown("contextd_compactions_total", { outcome: matching("failed|dropped") }),
            "summarizer",
            "reason",
          ),
          legend: "{{summarizer}}, {{reason}}",
        },
      ],
      unit: "short",
      draw: "bars",
      noValue: "None failed",
    }),
  ),
  band(
    8,
    timeSeries({
      title: "Compression by strategy",
      description: "Tokens before a pass over tokens after it; under the line a pass is hardly worth its cost.",
      queries: [{ expr: mean("contextd_compression_ratio", ["strategy"]), legend: "{{strategy}}" }],
      unit: "short",
      steps: goodFrom(LEAST_COMPRESSION),
      noValue: "No passes",
    }),
    timeSeries({
      title: "Time that hooks wait for a pass",
      description: "The median and the slowest hundredth, by who wrote the summary.",
      queries: [
        { expr: quantile(0.5, "contextd_compaction_duration_seconds", ["summarizer"]), legend: "{{summarizer}} p50" },
        { expr: quantile(0.99, "contextd_compaction_duration_seconds", ["summarizer"]), legend: "{{summarizer}} p99" },
      ],
      unit: "s",
      noValue: "No passes",
    }),
    heatmap({
      title: "Payback of edits",
      description: "Turns after which an edit had saved what it cost in the provider's cache.",
      expr: buckets("contextd_edit_payback_turns"),
      unit: "short",
    }),
  ),
);

const quality = section(
  "What is lost",
  band(
    8,
    timeSeries({
      title: "Fidelity by probe",
      description: "Share of each kind of fact that the context still tells after a pass.",
      queries: [{ expr: mean("contextd_fidelity_ratio", ["probe", "judge"]), legend: "{{probe}} ({{judge}})" }],
      unit: "percentunit",
      max: 1,
      steps: goodFrom(LEAST_FIDELITY),
      noValue: "No passes",
    }),
    timeSeries({
      title: "Regret",
      description: "Blocks that were taken out and needed again within ten turns, by how that showed.",
      queries: [{ expr: sum(grown("contextd_regret_total"), "kind", "policy"), legend: "{{kind}} ({{policy}})" }],
      unit: "short",
      draw: "bars",
      noValue: "Nothing was missed",
    }),
    timeSeries({
      title: "Regret by tool",
      description: "Whose results were needed again.",
      queries: [{ expr: sum(grown("contextd_regret_total"), "tool"), legend: "{{tool}}" }],
      unit: "short",
      draw: "bars",
      noValue: "Nothing was missed",
    }),
    timeSeries({
      title: "Recalls",
      description: "Content that was asked for again by its handle: served, or why not.",
      queries: [{ expr: sum(grown("contextd_recalls_total"), "outcome"), legend: "{{outcome}}" }],
      unit: "short",
      draw: "bars",
      noValue: "Nothing was recalled",
    }),
  ),
);

const cost = section(
  "What it costs",
  band(
    8,
    timeSeries({
      title: "Cache tokens invalidated",
      description: "Tokens behind the first edit of a pass, which the provider's prompt cache must take in anew.",
      queries: [{ expr: sum(growth("contextd_prefix_tokens_invalidated_total"), "profile"), legend: "{{profile}}" }],
      unit: "short",
      draw: "stack",
      noValue: "No edits",
    }),
    timeSeries({
      title: "Cache hits by profile",
      description: "Mean share of a prompt that the provider read from its cache, where its usage says so.",
      queries: [{ expr: mean("contextd_prefix_cache_hit_ratio", ["profile"]), legend: "{{profile}}" }],
      unit: "percentunit",
      max: 1,
      noValue: "Not reported",
    }),
  ),
);

const HOUR = "1h";
const shadowShare = (above: ShadowCounter, below: ShadowCounter) =>
  over(sum(growth(above, {}, HOUR), "policy"), sum(growth(below, {}, HOUR), "policy"));
type ShadowCounter =
  | "contextd_shadow_line_weight_total"
  | "contextd_shadow_value_weight_total"
  | "contextd_shadow_need_weight_total"
  | "contextd_shadow_cost_tokens_total"
  | "contextd_shadow_unmanaged_cost_tokens_total"
  | "contextd_shadow_prefix_hit_tokens_total"
  | "contextd_shadow_sent_tokens_total"
  | "contextd_shadow_edits_total"
  | "contextd_shadow_turns_total";

const shadow = section(
  "Shadow mode: candidates beside the live policy",
  band(
    8,
    timeSeries({
      title: "Kept of what was needed",
      description:
        "Share of the needed weight that stood in the context, on whole lines or anywhere, over the last hour.",
      queries: [
        {
          expr: shadowShare("contextd_shadow_line_weight_total", "contextd_shadow_need_weight_total"),
          legend: "{{policy}}, lines",
        },
        {
          expr: shadowShare("contextd_shadow_value_weight_total", "contextd_shadow_need_weight_total"),
          legend: "{{policy}}, values",
        },
      ],
      unit: "percentunit",
      max: 1,
      noValue: "No session is watched",
    }),
    timeSeries({
      title: "Cost against no management",
      description: "What the prompts cost over what they would with nothing ever taken out, over the last hour.",
      queries: [
        {
          expr: shadowShare("contextd_shadow_cost_tokens_total", "contextd_shadow_unmanaged_cost_tokens_total"),
          legend: "{{policy}}",
        },
      ],
      unit: "percentunit",
      noValue: "No session is watched",
    }),
    timeSeries({
      title: "Prompts out of the cache",
      description: "Share of the tokens sent that are in the longest common prefix with the prompt before.",
      queries: [
        {
          expr: shadowShare("contextd_shadow_prefix_hit_tokens_total", "contextd_shadow_sent_tokens_total"),
          legend: "{{policy}}",
        },
      ],
      unit: "percentunit",
      max: 1,
      noValue: "No session is watched",
    }),
  ),
  band(
    7,
    timeSeries({
      title: "Edits per turn",
      description: "Edits that the policy made, or would have made, at the start of a turn.",
      queries: [
        { expr: shadowShare("contextd_shadow_edits_total", "contextd_shadow_turns_total"), legend: "{{policy}}" },
      ],
      unit: "short",
      noValue: "No session is watched",
    }),
    timeSeries({
      title: "Watched sessions",
      description: "Sessions that are watched now, and those that are no longer, by reason.",
      queries: [
        { expr: sum(now("contextd_shadow_sessions")), legend: "watched" },
        { expr: sum(grown("contextd_shadow_sessions_ended_total"), "reason"), legend: "ended: {{reason}}" },
      ],
      unit: "short",
    }),
  ),
);

export const eviction: Dashboard = {
  uid: "contextd-eviction",
  title: "contextd / Eviction and compression",
  description: "What is taken out of contexts, by which policy, was it worth it, and was it missed afterwards?",
  sections: [tiles, takenOut, passes, quality, cost, shadow],
};
