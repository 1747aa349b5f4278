import { Counter } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const alerts: MetricFamily = ({ registry, bounds }) => {
  const counter = new Counter({
    name: "contextd_alerts_total",
    help: "Alerts raised by the daemon's own rules.",
    labelNames: ["alert", "severity"],
    registers: [registry],
  });
  return {
    on: {
      "alert.raised": (event) =>
        counter.inc({ alert: bounds.hold("alert", event.data.alert), severity: event.data.severity }),
    },
  };
};
