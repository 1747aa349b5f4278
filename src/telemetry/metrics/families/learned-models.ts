import { Counter, Gauge } from "prom-client";
import type { PublishedEvent } from "../../../model/events.ts";
import type { MetricFamily } from "../family.ts";
import { OTHER } from "../label-bounds.ts";

/**
 * What is learned of models. A factor is a tenant's, and tenants are no labels: the gauge shows the one that was learned
 * last, whoever's it is, from the first report after the daemon's start on. Models that share the label `other` have
 * no factor in common and are left out.
 */
export const learnedModels: MetricFamily = ({ registry, dependencies, bounds }) => {
  const factor = new Gauge({
    name: "contextd_calibration_factor",
    help: "Learned factor of reported over estimated tokens, as last learned by any tenant since the start.",
    labelNames: ["model", "tokenizer"],
    registers: [registry],
  });
  const windows = new Counter({
    name: "contextd_windows_learned_total",
    help: "Windows whose size was learned while a session ran, by who told it: a provider's error or the agent.",
    labelNames: ["model", "learned_from"],
    registers: [registry],
  });
  const showFactor = ({ tenant, labels }: PublishedEvent, reported: number | null): void => {
    if (reported === null || labels === null) return;
    const model = bounds.hold("model", labels.model);
    if (model === OTHER) return;
    const tokenizer = bounds.hold("tokenizer", dependencies.tokenizerOf(labels.model));
    factor.set({ model, tokenizer }, dependencies.calibrationOf(tenant, labels.model));
  };
  return {
    on: {
      "turn.ended": (event) => showFactor(event, event.data.prompt_tokens),
      "overflow.reported": (event) => showFactor(event, event.data.reported_tokens),
      "window.resized": ({ data, labels }) => {
        if (data.learned_from === "configured" || labels === null) return;
        windows.inc({ model: bounds.hold("model", labels.model), learned_from: data.learned_from });
      },
    },
  };
};
