import { Counter } from "prom-client";
import { type MetricFamily, profileOf } from "../family.ts";

export const overflows: MetricFamily = ({ registry, bounds }) => {
  const reported = new Counter({
    name: "contextd_overflows_total",
    help: "Prompts that a provider refused as too long, as reported by on_overflow.",
    labelNames: ["profile"],
    registers: [registry],
  });
  const recoveries = new Counter({
    name: "contextd_overflow_recoveries_total",
    help: "Overflows answered with a smaller context.",
    labelNames: ["profile", "outcome"],
    registers: [registry],
  });
  return {
    on: {
      "overflow.reported": (event) => reported.inc({ profile: profileOf(event, bounds) }),
      "overflow.recovered": (event) => {
        const outcome = event.data.tokens_after < event.data.tokens_before ? "recovered" : "no_progress";
        recoveries.inc({ profile: profileOf(event, bounds), outcome });
      },
    },
  };
};
