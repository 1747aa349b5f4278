import { Counter, Histogram } from "prom-client";
import { type MetricFamily, profileOf } from "../family.ts";

export const velocity: MetricFamily = ({ registry, bounds }) => {
  const histogram = new Histogram({
    name: "contextd_context_velocity_tokens_per_turn",
    help: "Mean growth of the context over the last turns, observed once a turn from a session's second reading on.",
    labelNames: ["profile"],
    buckets: [50, 100, 250, 500, 1000, 2000, 4000, 8000, 16000, 32000, 64000],
    registers: [registry],
  });
  const spikes = new Counter({
    name: "contextd_velocity_spikes_total",
    help: "Turns that grew by more than the spike factor times the session's baseline.",
    labelNames: ["profile"],
    registers: [registry],
  });
  return {
    onTurn(event) {
      const growth = event.data.velocity_tokens_per_turn;
      if (growth !== null) histogram.observe({ profile: profileOf(event, bounds) }, Math.max(0, growth));
    },
    on: {
      "velocity.spiked": (event) => spikes.inc({ profile: profileOf(event, bounds) }),
    },
  };
};
