import { Histogram } from "prom-client";
import { type MetricFamily, profileOf } from "../family.ts";

export const prefixCache: MetricFamily = ({ registry, bounds }) => {
  const histogram = new Histogram({
    name: "contextd_prefix_cache_hit_ratio",
    help: "Share of a prompt that the provider read from its cache, for the turns whose usage says so.",
    labelNames: ["profile"],
    buckets: [0, 0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
    registers: [registry],
  });
  return {
    on: {
      "turn.ended": (event) => {
        const { cache_read_input_tokens, prompt_tokens } = event.data;
        if (cache_read_input_tokens === null || prompt_tokens === null || prompt_tokens <= 0) return;
        histogram.observe({ profile: profileOf(event, bounds) }, cache_read_input_tokens / prompt_tokens);
      },
    },
  };
};
