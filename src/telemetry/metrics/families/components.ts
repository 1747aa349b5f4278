import { Gauge } from "prom-client";
import { COMPONENTS } from "../../../model/block.ts";
import type { MetricFamily } from "../family.ts";

export const components: MetricFamily = ({ registry, fleet }) => {
  const labelNames = ["profile", "component"];
  new Gauge({
    name: "contextd_component_tokens",
    help: "Tokens that the open sessions hold in each component of their windows, summed.",
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [profile, figures] of fleet().byProfile) {
        COMPONENTS.forEach((component, at) => {
          this.set({ profile, component }, figures.tokens[at] as number);
        });
      }
    },
  });
  new Gauge({
    name: "contextd_component_budget_ratio",
    help: "Worst share of a component's hard budget that any open session has used.",
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [profile, figures] of fleet().byProfile) {
        COMPONENTS.forEach((component, at) => {
          this.set({ profile, component }, figures.worst[at] as number);
        });
      }
    },
  });
  return {};
};
