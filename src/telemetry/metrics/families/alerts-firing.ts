import { Gauge } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const alertsFiring: MetricFamily = ({ registry, bounds, fleet }) => {
  new Gauge({
    name: "contextd_alerts_firing",
    help: "Open sessions for which an alert of the daemon's own rules fires.",
    labelNames: ["alert", "severity"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { alert, severity, sessions } of fleet().alerts.values()) {
        this.inc({ alert: bounds.hold("alert", alert), severity }, sessions);
      }
    },
  });
  return {};
};
