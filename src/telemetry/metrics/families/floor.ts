import { Gauge } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const floor: MetricFamily = ({ registry, fleet }) => {
  new Gauge({
    name: "contextd_floor_ratio",
    help: "Worst irreducible floor of the open sessions over their window: what nothing can free.",
    labelNames: ["profile"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [profile, figures] of fleet().byProfile) this.set({ profile }, figures.worstFloor);
    },
  });
  return {};
};
