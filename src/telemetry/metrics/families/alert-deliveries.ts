import { Counter, Gauge } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const alertDeliveries: MetricFamily = ({ registry, dependencies }) => {
  const registers = [registry];
  new Counter({
    name: "contextd_alert_deliveries_total",
    help: "Notices of alerts by sink and outcome: ok, refused (4xx), given_up, and retried for each attempt that failed and is repeated.",
    labelNames: ["sink", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const { sink, outcomes } of dependencies.alertDeliveries()) {
        for (const [outcome, notices] of Object.entries(outcomes)) this.inc({ sink, outcome }, notices);
      }
    },
  });
  new Counter({
    name: "contextd_alert_deliveries_dropped_total",
    help: "Notices of alerts dropped from a full queue, by reason: superseded by a later one, or overflow (told later if it still matters).",
    labelNames: ["sink", "reason"],
    registers,
    collect() {
      this.reset();
      for (const { sink, drops } of dependencies.alertDeliveries()) {
        for (const [reason, notices] of Object.entries(drops)) this.inc({ sink, reason }, notices);
      }
    },
  });
  new Gauge({
    name: "contextd_alert_queue_length",
    help: "Notices of alerts that wait for a sink, those under way included.",
    labelNames: ["sink"],
    registers,
    collect() {
      this.reset();
      for (const { sink, queued } of dependencies.alertDeliveries()) this.set({ sink }, queued);
    },
  });
  return {};
};
