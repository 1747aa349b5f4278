import { Gauge } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const buildInfo: MetricFamily = ({ registry, options }) => {
  const gauge = new Gauge({
    name: "contextd_build_info",
    help: "Always 1; the labels name the running build.",
    labelNames: ["version", "revision", "node"],
    registers: [registry],
  });
  gauge.set({ ...options.buildInfo, node: process.version }, 1);
  return {};
};
