import { Counter } from "prom-client";
import { type MetricFamily, profileOf } from "../family.ts";

export const budgetViolations: MetricFamily = ({ registry, bounds }) => {
  const counter = new Counter({
    name: "contextd_budget_violations_total",
    help: "Times that a component went over its soft or hard budget.",
    labelNames: ["profile", "component", "limit"],
    registers: [registry],
  });
  return {
    on: {
      "budget.soft_exceeded": (event) =>
        counter.inc({ profile: profileOf(event, bounds), component: event.data.component, limit: "soft" }),
      "budget.hard_exceeded": (event) =>
        counter.inc({ profile: profileOf(event, bounds), component: event.data.component, limit: "hard" }),
    },
  };
};
