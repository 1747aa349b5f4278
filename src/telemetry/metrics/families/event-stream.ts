import { Counter, Gauge } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const eventStream: MetricFamily = ({ registry, dependencies }) => {
  new Gauge({
    name: "contextd_event_stream_clients",
    help: "Subscribers of /events.",
    registers: [registry],
    collect() {
      this.set(dependencies.streamStats().clients);
    },
  });
  new Counter({
    name: "contextd_event_stream_dropped_total",
    help: "Events that a subscriber was owed and did not get.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(dependencies.streamStats().dropped);
    },
  });
  new Counter({
    name: "contextd_event_stream_evicted_total",
    help: "Subscribers cut off because they did not keep up.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(dependencies.streamStats().evicted);
    },
  });
  return {};
};
