import { Counter } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const recalls: MetricFamily = ({ registry, bounds }) => {
  const counter = new Counter({
    name: "contextd_recalls_total",
    help: "Evicted content asked for again by its handle: served, or the reason why not.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  return {
    on: { "recall.served": () => counter.inc({ outcome: "served" }) },
    onHook(hook) {
      if (hook.method !== "content.recall" || hook.outcome === "ok") return;
      counter.inc({ outcome: bounds.hold("outcome", hook.outcome) });
    },
  };
};
