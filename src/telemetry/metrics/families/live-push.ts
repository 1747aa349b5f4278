import { Counter, Gauge } from "prom-client";
import { TRANSPORTS } from "../../grafana-live/push-error.ts";
import type { MetricFamily } from "../family.ts";

export const livePush: MetricFamily = ({ registry, dependencies }) => {
  new Counter({
    name: "contextd_live_push_total",
    help: "Pushes to Grafana Live and failed attempts to connect, by how they ended.",
    labelNames: ["transport", "outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { transport, outcome, count } of dependencies.livePush().pushes) {
        this.inc({ transport, outcome }, count);
      }
    },
  });
  new Counter({
    name: "contextd_live_push_dropped_total",
    help: "Lines for Grafana Live that were never pushed: the buffer was full, or the daemon stopped.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(dependencies.livePush().dropped);
    },
  });
  new Gauge({
    name: "contextd_live_push_connected",
    help: "1 for what carries pushes to Grafana Live now; 0 for both: nothing does.",
    labelNames: ["transport"],
    registers: [registry],
    collect() {
      // Both are always there, so that a rule can tell "nothing carries it" from "not scraped".
      const { connected } = dependencies.livePush();
      for (const transport of TRANSPORTS) this.set({ transport }, connected === transport ? 1 : 0);
    },
  });
  return {};
};
