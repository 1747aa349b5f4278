import { Counter } from "prom-client";
import type { MetricFamily } from "../family.ts";

/** Of blocks that belong to no tool. */
const NO_TOOL = "none";

export const regrets: MetricFamily = ({ registry, bounds }) => {
  const counter = new Counter({
    name: "contextd_regret_total",
    help: "Evicted blocks needed again within ten turns: recalled, an identifier used, or the tool call made again.",
    labelNames: ["kind", "policy", "tool"],
    registers: [registry],
  });
  return {
    on: {
      "regret.detected": ({ data }) =>
        counter.inc({
          kind: data.kind,
          policy: bounds.hold("policy", data.policy),
          tool: bounds.hold("tool", data.tool_name ?? NO_TOOL),
        }),
    },
  };
};
