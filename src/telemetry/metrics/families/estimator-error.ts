import { Histogram } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const estimatorError: MetricFamily = ({ registry, dependencies, bounds }) => {
  const histogram = new Histogram({
    name: "contextd_estimator_error_ratio",
    help: "How far the uncalibrated estimate of a prompt was from the reported count, over the reported count.",
    labelNames: ["model", "tokenizer", "direction"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
    registers: [registry],
  });
  return {
    on: {
      "turn.ended": (event) => {
        const { prompt_tokens, estimated_tokens } = event.data;
        if (prompt_tokens === null || prompt_tokens <= 0 || event.labels === null) return;
        const error = (estimated_tokens - prompt_tokens) / prompt_tokens;
        const labels = {
          model: bounds.hold("model", event.labels.model),
          tokenizer: bounds.hold("tokenizer", dependencies.tokenizerOf(event.labels.model)),
          // A label in place of a sign: a histogram's sum must not fall, or rate() takes it for a restart.
          direction: error >= 0 ? "over" : "under",
        };
        histogram.observe(labels, Math.abs(error));
      },
    },
  };
};
