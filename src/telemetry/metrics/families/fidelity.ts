import { Histogram } from "prom-client";
import type { MetricFamily } from "../family.ts";

/** Label of the mean of all types. */
const OVERALL = "overall";

export const fidelity: MetricFamily = ({ registry }) => {
  const ratio = new Histogram({
    name: "contextd_fidelity_ratio",
    help: "Share of the facts asked for that the context still tells after a pass, by type of fact and overall.",
    labelNames: ["probe", "judge"],
    buckets: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.999, 1],
    registers: [registry],
  });
  return {
    on: {
      "fidelity.evaluated": ({ data: { judge, score, by_type } }) => {
        ratio.observe({ probe: OVERALL, judge }, score);
        for (const [probe, share] of Object.entries(by_type)) ratio.observe({ probe, judge }, share);
      },
    },
  };
};
