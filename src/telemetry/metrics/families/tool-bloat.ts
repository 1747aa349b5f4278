import { Histogram } from "prom-client";
import { type MetricFamily, profileOf } from "../family.ts";

export const toolBloat: MetricFamily = ({ registry, dependencies, bounds }) => {
  const histogram = new Histogram({
    name: "contextd_tool_result_bloat_ratio",
    help: "Share of the context that tool results hold, observed once a turn.",
    labelNames: ["profile"],
    buckets: [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
    registers: [registry],
  });
  return {
    onTurn(event) {
      const session = event.session === null ? null : dependencies.session(event.tenant, event.session);
      if (session === null || session.tokens <= 0) return;
      histogram.observe({ profile: profileOf(event, bounds) }, session.componentTokens.tool_results / session.tokens);
    },
  };
};
