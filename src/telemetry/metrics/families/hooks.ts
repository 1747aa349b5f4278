import { Counter, Histogram } from "prom-client";
import { exemplarLabels } from "../exemplar.ts";
import type { MetricFamily } from "../family.ts";

/** Seconds. A hook takes about a millisecond, so the buckets begin at a quarter of one. */
const BUCKETS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export const hooks: MetricFamily = ({ registry, bounds }) => {
  const labelNames = ["method", "transport", "outcome"];
  const requests = new Counter({
    name: "contextd_hook_requests_total",
    help: "Calls answered, by method, transport and outcome (ok, or the reason of the error).",
    labelNames,
    registers: [registry],
  });
  const duration = new Histogram<string>({
    name: "contextd_hook_duration_seconds",
    help: "Time from the parsed request to the durable answer.",
    labelNames,
    buckets: BUCKETS,
    enableExemplars: true,
    registers: [registry],
  });
  return {
    onHook(hook) {
      const labels = {
        method: bounds.hold("method", hook.method),
        transport: hook.transport,
        outcome: bounds.hold("outcome", hook.outcome),
      };
      requests.inc(labels);
      const value = Math.max(0, hook.seconds);
      duration.observe({ labels, value, exemplarLabels: exemplarLabels(hook.sessionId, hook.traceId) });
    },
  };
};
