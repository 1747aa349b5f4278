import { Counter } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const checkpoints: MetricFamily = ({ registry }) => {
  const checkpoints = new Counter({
    name: "contextd_checkpoints_total",
    help: "Checkpoints by outcome: saved, restored (loaded into a session), or rejected_ and the reason.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  return {
    on: {
      "checkpoint.saved": () => checkpoints.inc({ outcome: "saved" }),
      "checkpoint.restored": () => checkpoints.inc({ outcome: "restored" }),
      "checkpoint.rejected": ({ data }) => checkpoints.inc({ outcome: `rejected_${data.reason}` }),
    },
  };
};
