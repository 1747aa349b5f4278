import { Counter, Gauge, Histogram } from "prom-client";
import type { LlmBreakerState, LlmCall } from "../../../model/llm-call.ts";
import type { MetricFamily } from "../family.ts";

/** Seconds: the buckets that OpenTelemetry's conventions advise for the duration of a model's operation. */
const BUCKETS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

const BREAKER_VALUES: Readonly<Record<LlmBreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

/** Labels as OpenTelemetry names the attributes (gen_ai.provider.name, …), and `role`: summarizer or judge. */
const LABELS = ["gen_ai_provider_name", "gen_ai_request_model", "gen_ai_operation_name", "role"];

export const llm: MetricFamily = ({ registry, dependencies, bounds }) => {
  const registers = [registry];
  const requests = new Counter({
    name: "contextd_llm_requests_total",
    help: "Calls to models, by outcome (ok, or the reason of the failure); calls refused before anything was sent included.",
    labelNames: [...LABELS, "outcome"],
    registers,
  });
  const duration = new Histogram({
    name: "contextd_llm_request_duration_seconds",
    help: "Time of a call to a model, waiting in the queue and between attempts included.",
    labelNames: [...LABELS, "outcome"],
    buckets: BUCKETS,
    registers,
  });
  const tokens = new Counter({
    name: "contextd_llm_tokens_total",
    help: "Tokens of calls to models as their providers report them, by type (input, output).",
    labelNames: [...LABELS, "gen_ai_token_type"],
    registers,
  });
  const cost = new Counter({
    name: "contextd_llm_cost_usd_total",
    help: "USD that calls to models cost, at the catalogue's prices; models without a price add nothing.",
    labelNames: LABELS,
    registers,
  });
  const retries = new Counter({
    name: "contextd_llm_retries_total",
    help: "Requests to models that repeated a failed one.",
    labelNames: LABELS,
    registers,
  });
  new Gauge({
    name: "contextd_llm_breaker_state",
    help: "Circuit breaker before a model: 0 closed, 1 half open (one call tries), 2 open (calls are refused at once).",
    labelNames: ["gen_ai_provider_name", "gen_ai_request_model"],
    registers,
    collect() {
      this.reset();
      const worst = new Map<string, number>();
      for (const { provider, model, state } of dependencies.llmBreakers()) {
        const labels = { gen_ai_provider_name: provider, gen_ai_request_model: bounds.hold("llm model", model) };
        const key = `${provider} ${labels.gen_ai_request_model}`;
        worst.set(key, Math.max(worst.get(key) ?? 0, BREAKER_VALUES[state]));
        this.set(labels, worst.get(key) as number);
      }
    },
  });

  const labelsOf = (call: LlmCall) => ({
    gen_ai_provider_name: bounds.hold("llm provider", call.provider),
    gen_ai_request_model: bounds.hold("llm model", call.model),
    gen_ai_operation_name: call.operation,
    role: call.role,
  });
  return {
    onLlmCall(call) {
      const labels = labelsOf(call);
      const outcome = bounds.hold("llm outcome", call.outcome);
      requests.inc({ ...labels, outcome });
      duration.observe({ ...labels, outcome }, Math.max(0, call.seconds));
      if (call.inputTokens !== null)
        tokens.inc({ ...labels, gen_ai_token_type: "input" }, Math.max(0, call.inputTokens));
      if (call.outputTokens !== null) {
        tokens.inc({ ...labels, gen_ai_token_type: "output" }, Math.max(0, call.outputTokens));
      }
      if (call.usd !== null) cost.inc(labels, Math.max(0, call.usd));
      if (call.attempts > 1) retries.inc(labels, call.attempts - 1);
    },
  };
};
