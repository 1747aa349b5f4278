import { Histogram } from "prom-client";
import { exemplarLabels, traceIdOf } from "../exemplar.ts";
import { type MetricFamily, profileOf } from "../family.ts";

/** The thresholds of all window sizes fall on a boundary, so that a share above one is exact. */
const BUCKETS = [0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.1];

export const utilization: MetricFamily = ({ registry, bounds }) => {
  const histogram = new Histogram<string>({
    name: "contextd_context_utilization_ratio",
    help: "Tokens of the context over the window, observed once a turn before any edit.",
    labelNames: ["profile", "model"],
    buckets: BUCKETS,
    enableExemplars: true,
    registers: [registry],
  });
  return {
    onTurn(event) {
      histogram.observe({
        labels: { profile: profileOf(event, bounds), model: bounds.hold("model", event.labels?.model ?? "none") },
        value: event.data.utilization,
        exemplarLabels: exemplarLabels(event.session, traceIdOf(event.traceparent)),
      });
    },
  };
};
