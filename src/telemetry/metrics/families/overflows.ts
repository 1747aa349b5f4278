import { Counter } from "prom-client";
import { type MetricFamily, profileOf } from "../family.ts";

export const overflows: MetricFamily = ({ registry, bounds }) => {
  const reported = new Counter({
    name: "contextd_overflows_total",
    help: "Prompts that a provider refused as too long, and answers cut because the window was full.",
    labelNames: ["profile"],
    registers: [registry],
  });
  const recoveries = new Counter({
    name: "contextd_overflow_recoveries_total",
    help: "What on_overflow answered: retry (smaller), cross_window_save (in a new window), or give_up.",
    labelNames: ["profile", "outcome"],
    registers: [registry],
  });
  return {
    on: {
      "overflow.reported": (event) => reported.inc({ profile: profileOf(event, bounds) }),
      "overflow.recovered": (event) =>
        recoveries.inc({ profile: profileOf(event, bounds), outcome: event.data.action }),
      "overflow.given_up": (event) => recoveries.inc({ profile: profileOf(event, bounds), outcome: "give_up" }),
    },
  };
};
