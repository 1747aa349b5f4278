import { Histogram } from "prom-client";
import type { PublishedEvent } from "../../../model/events.ts";
import type { MetricFamily } from "../family.ts";

export const estimatorError: MetricFamily = ({ registry, dependencies, bounds }) => {
  const histogram = new Histogram({
    name: "contextd_estimator_error_ratio",
    help: "How far the uncalibrated estimate of a prompt was from the reported count, over the reported count.",
    labelNames: ["model", "tokenizer", "direction"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
    registers: [registry],
  });
  const observe = ({ labels }: PublishedEvent, estimated: number | null, reported: number | null): void => {
    if (estimated === null || reported === null || reported <= 0 || labels === null) return;
    const error = (estimated - reported) / reported;
    const { model } = labels;
    histogram.observe(
      {
        model: bounds.hold("model", model),
        tokenizer: bounds.hold("tokenizer", dependencies.tokenizerOf(model)),
        // A label in place of a sign: a histogram's sum must not fall, or rate() takes it for a restart.
        direction: error >= 0 ? "over" : "under",
      },
      Math.abs(error),
    );
  };
  return {
    on: {
      "turn.ended": (event) => observe(event, event.data.estimated_tokens, event.data.prompt_tokens),
      "overflow.reported": (event) => observe(event, event.data.estimated_tokens, event.data.reported_tokens),
    },
  };
};
