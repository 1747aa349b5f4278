/** A metric as the dashboards know it: which functions may be put around it, and which labels it may be summed by. */
export interface Metric<Type extends string, Label extends string> {
  readonly type: Type;
  readonly labels: readonly Label[];
}

const gauge = <const L extends string>(...labels: L[]): Metric<"gauge", L> => ({ type: "gauge", labels });
const counter = <const L extends string>(...labels: L[]): Metric<"counter", L> => ({ type: "counter", labels });
const histogram = <const L extends string>(...labels: L[]): Metric<"histogram", L> => ({ type: "histogram", labels });

const LLM = ["gen_ai_provider_name", "gen_ai_request_model", "gen_ai_operation_name", "role"] as const;

/**
 * Every metric of the daemon, as docs/metrics.md has them (tested both ways), so that a query that names none, or sums
 * by a label that is not there, does not compile.
 */
export const METRICS = {
  contextd_build_info: gauge("version", "revision", "node"),
  contextd_sessions: gauge("profile", "zone", "status"),
  contextd_hook_requests_total: counter("method", "transport", "outcome"),
  contextd_hook_duration_seconds: histogram("method", "transport", "outcome"),
  contextd_context_utilization_ratio: histogram("profile", "model"),
  contextd_context_velocity_tokens_per_turn: histogram("profile"),
  contextd_velocity_spikes_total: counter("profile"),
  contextd_turns_until_red: histogram("profile"),
  contextd_forecast_error_turns: histogram("profile", "direction"),
  contextd_zone_transitions_total: counter("profile", "from", "to"),
  contextd_component_tokens: gauge("profile", "component"),
  contextd_component_budget_ratio: gauge("profile", "component"),
  contextd_budget_violations_total: counter("profile", "component", "limit"),
  contextd_blocks_evicted_total: counter("profile", "policy", "block_type", "method"),
  contextd_tokens_freed_total: counter("profile", "policy", "block_type", "method"),
  contextd_compactions_total: counter("strategy", "summarizer", "outcome", "reason"),
  contextd_compaction_duration_seconds: histogram("strategy", "summarizer"),
  contextd_compression_ratio: histogram("strategy"),
  contextd_llm_requests_total: counter(...LLM, "outcome"),
  contextd_llm_request_duration_seconds: histogram(...LLM, "outcome"),
  contextd_llm_tokens_total: counter(...LLM, "gen_ai_token_type"),
  contextd_llm_cost_usd_total: counter(...LLM),
  contextd_llm_retries_total: counter(...LLM),
  contextd_llm_breaker_state: gauge("gen_ai_provider_name", "gen_ai_request_model"),
  contextd_fidelity_ratio: histogram("probe", "judge"),
  contextd_prefix_tokens_invalidated_total: counter("profile"),
  contextd_prefix_cache_hit_ratio: histogram("profile"),
  contextd_edit_payback_turns: histogram("profile"),
  contextd_tool_result_bloat_ratio: histogram("profile"),
  contextd_recalls_total: counter("outcome"),
  contextd_regret_total: counter("kind", "policy", "tool"),
  contextd_shadow_turns_total: counter("policy"),
  contextd_shadow_need_weight_total: counter("policy"),
  contextd_shadow_line_weight_total: counter("policy"),
  contextd_shadow_value_weight_total: counter("policy"),
  contextd_shadow_cost_tokens_total: counter("policy"),
  contextd_shadow_unmanaged_cost_tokens_total: counter("policy"),
  contextd_shadow_sent_tokens_total: counter("policy"),
  contextd_shadow_prefix_hit_tokens_total: counter("policy"),
  contextd_shadow_edits_total: counter("policy"),
  contextd_shadow_sessions: gauge(),
  contextd_shadow_sessions_ended_total: counter("reason"),
  contextd_floor_ratio: gauge("profile"),
  contextd_estimator_error_ratio: histogram("model", "tokenizer", "direction"),
  contextd_calibration_factor: gauge("model", "tokenizer"),
  contextd_windows_learned_total: counter("model", "learned_from"),
  contextd_overflows_total: counter("profile"),
  contextd_overflow_recoveries_total: counter("profile", "outcome"),
  contextd_windows_opened_total: counter("profile", "cause"),
  contextd_checkpoints_total: counter("outcome"),
  contextd_alerts_total: counter("alert", "severity"),
  contextd_alerts_firing: gauge("alert", "severity"),
  contextd_alert_deliveries_total: counter("sink", "outcome"),
  contextd_alert_deliveries_dropped_total: counter("sink", "reason"),
  contextd_alert_queue_length: gauge("sink"),
  contextd_live_push_total: counter("transport", "outcome"),
  contextd_live_push_dropped_total: counter(),
  contextd_otlp_spans_total: counter("outcome"),
  contextd_live_push_connected: gauge("transport"),
  contextd_journal_append_duration_seconds: histogram("store", "op"),
  contextd_journal_batch_size: histogram("store", "op"),
  contextd_store_errors_total: counter("store", "op"),
  contextd_journal_queue_rows: gauge("store"),
  contextd_journal_size_bytes: gauge("store", "file"),
  contextd_event_stream_clients: gauge(),
  contextd_event_stream_dropped_total: counter(),
  contextd_event_stream_evicted_total: counter(),
  contextd_config_last_reload_successful: gauge(),
  contextd_config_last_reload_success_timestamp_seconds: gauge(),
  contextd_top_session_utilization_ratio: gauge("rank", "session_id", "profile"),
  contextd_top_sessions_truncated: gauge(),
  process_cpu_user_seconds_total: counter(),
  process_cpu_system_seconds_total: counter(),
  process_start_time_seconds: gauge(),
  process_resident_memory_bytes: gauge(),
  nodejs_heap_size_used_bytes: gauge(),
  nodejs_heap_size_total_bytes: gauge(),
  nodejs_external_memory_bytes: gauge(),
  process_open_fds: gauge(),
  nodejs_eventloop_lag_p50_seconds: gauge(),
  nodejs_eventloop_lag_p99_seconds: gauge(),
  nodejs_eventloop_lag_max_seconds: gauge(),
  nodejs_gc_duration_seconds: histogram("kind"),
} as const;

type Catalogue = typeof METRICS;

export type MetricName = keyof Catalogue;

/** Names of the metrics of one type. */
export type NameOf<Type extends string> = {
  [N in MetricName]: Catalogue[N] extends Metric<Type, string> ? N : never;
}[MetricName];

/** Labels of a metric; every scraped series has the last two. */
export type LabelOf<N extends MetricName> = Catalogue[N]["labels"][number] | "job" | "instance";
