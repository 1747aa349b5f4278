import { Counter } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const otlp: MetricFamily = ({ registry, dependencies }) => {
  new Counter({
    name: "contextd_otlp_spans_total",
    help: "Spans by what became of them: sent, rejected by the collector, given_up after the last attempt, or dropped from a full queue.",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, spans] of Object.entries(dependencies.otlpSpans())) this.inc({ outcome }, spans);
    },
  });
  return {};
};
