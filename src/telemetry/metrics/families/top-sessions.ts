import { Gauge } from "prom-client";
import type { MetricFamily } from "../family.ts";

/** The only family with a session id as a label: bounded by rank and rebuilt at each scrape. */
export const topSessions: MetricFamily = ({ registry, options, bounds, fleet }) => {
  if (options.topSessions <= 0) return {};
  new Gauge({
    name: "contextd_top_session_utilization_ratio",
    help: "The fullest open sessions, rank 1 first.",
    labelNames: ["rank", "session_id", "profile"],
    registers: [registry],
    collect() {
      this.reset();
      fleet().top.forEach((session, index) => {
        const profile = bounds.hold("profile", session.profile);
        this.set({ rank: String(index + 1), session_id: session.id, profile }, session.utilization);
      });
    },
  });
  new Gauge({
    name: "contextd_top_sessions_truncated",
    help: "Open sessions that contextd_top_session_utilization_ratio leaves out.",
    registers: [registry],
    collect() {
      this.set(fleet().beyondTop);
    },
  });
  return {};
};
