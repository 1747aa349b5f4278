import { Counter } from "prom-client";
import { type MetricFamily, profileOf } from "../family.ts";

export const zoneTransitions: MetricFamily = ({ registry, bounds }) => {
  const counter = new Counter({
    name: "contextd_zone_transitions_total",
    help: "Changes of a session's zone.",
    labelNames: ["profile", "from", "to"],
    registers: [registry],
  });
  return {
    on: {
      "zone.changed": (event) =>
        counter.inc({ profile: profileOf(event, bounds), from: event.data.from, to: event.data.to }),
    },
  };
};
