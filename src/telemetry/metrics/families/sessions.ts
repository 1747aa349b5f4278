import { Gauge } from "prom-client";
import { STATUSES, ZONES } from "../../../model/zone.ts";
import type { MetricFamily } from "../family.ts";

export const sessions: MetricFamily = ({ registry, fleet }) => {
  new Gauge({
    name: "contextd_sessions",
    help: "Open sessions, by profile, zone and status.",
    labelNames: ["profile", "zone", "status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [profile, figures] of fleet().byProfile) {
        figures.counts.forEach((count, cell) => {
          if (count === 0) return;
          const zone = ZONES[Math.floor(cell / STATUSES.length)] as string;
          this.set({ profile, zone, status: STATUSES[cell % STATUSES.length] as string }, count);
        });
      }
    },
  });
  return {};
};
