import { Counter, Histogram } from "prom-client";
import { type MetricFamily, profileOf } from "../family.ts";

export const compactions: MetricFamily = ({ registry, bounds }) => {
  const total = new Counter({
    name: "contextd_compactions_total",
    help: "Passes over a context, by strategy, outcome and reason (what caused, prevented or failed it).",
    labelNames: ["strategy", "summarizer", "outcome", "reason"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "contextd_compaction_duration_seconds",
    help: "Time that a hook waited for a pass.",
    labelNames: ["strategy", "summarizer"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  const ratio = new Histogram({
    name: "contextd_compression_ratio",
    help: "Tokens before a pass over tokens after it.",
    labelNames: ["strategy"],
    buckets: [1, 1.1, 1.25, 1.5, 2, 3, 4, 6, 10, 20],
    registers: [registry],
  });
  const invalidated = new Counter({
    name: "contextd_prefix_tokens_invalidated_total",
    help: "Tokens behind the first edit of a pass, which the provider's prompt cache must take in anew.",
    labelNames: ["profile"],
    registers: [registry],
  });
  const count = (strategy: string, summarizer: string, outcome: string, reason: string): void =>
    total.inc({ strategy, summarizer, outcome, reason: bounds.hold("reason", reason) });
  return {
    on: {
      "history.compacted": (event) => {
        const { cause, summarizer, tokens_before, tokens_after, waited_ms, gate } = event.data;
        const strategy = bounds.hold("strategy", event.data.strategy);
        count(strategy, summarizer, "ok", cause);
        duration.observe({ strategy, summarizer }, Math.max(0, waited_ms / 1000));
        if (tokens_after > 0) ratio.observe({ strategy }, tokens_before / tokens_after);
        invalidated.inc({ profile: profileOf(event, bounds) }, Math.max(0, gate?.tokens_rewritten ?? 0));
      },
      "compaction.skipped": (event) => count("none", "none", "skipped", event.data.reason),
      "compaction.failed": (event) => count("none", "none", "failed", event.data.reason),
      "summary.failed": ({ data }) => count("none", "llm", "failed", data.reason),
      "summary.dropped": ({ data }) => count("none", "llm", "dropped", data.reason),
    },
  };
};
