import type { Dashboard } from "../dashboard.ts";
import { band, section } from "../layout.ts";
import { SESSION_LINK } from "../links.ts";
import { liveSeries, liveTable } from "../panels/live.ts";
import type { Column } from "../panels/table.ts";
import { ZONE_CELLS, ZONE_SERIES, ZONE_STEPS } from "../zones.ts";

const TIME: Column = { field: "time", title: "Time", unit: "dateTimeFromNow", width: 150 };
const SESSION: Column = { field: "session_id", title: "Session", link: SESSION_LINK };

/** What the daemon pushes for a figure that there is none of: every row has every field. */
const NO_FIGURE = -1;

export const live: Dashboard = {
  uid: "contextd-live",
  title: "contextd / Live",
  description:
    "What the daemon decides, as it decides it: pushed into Grafana while this page is open, and kept nowhere. " +
    "Empty panels: the push is not configured (telemetry.grafana_live), or nothing happens.",
  refresh: "",
  from: "now-15m",
  sections: [
    section(
      null,
      band(
        9,
        liveSeries({
          title: "Utilization by zone",
          description: "Mean utilization of the open sessions in each zone and profile.",
          measurement: "window",
          field: "utilization",
          unit: "percentunit",
          overrides: ZONE_SERIES,
        }),
        liveSeries({
          title: "Sessions by zone",
          description: "Open sessions in each zone and profile.",
          measurement: "window",
          field: "sessions",
          unit: "short",
          overrides: ZONE_SERIES,
        }),
      ),
      band(
        10,
        liveTable({
          title: "Zone changes",
          description: "Sessions that went into another zone, the newest first.",
          measurement: "zone_event",
          columns: [
            TIME,
            SESSION,
            { field: "agent", title: "Agent" },
            { field: "profile", title: "Profile" },
            { field: "model", title: "Model" },
            { field: "from", title: "From", coloured: ZONE_CELLS },
            { field: "to", title: "To", coloured: ZONE_CELLS },
            { field: "cause", title: "Cause" },
            { field: "utilization", title: "Utilization", unit: "percentunit", bar: ZONE_STEPS },
            { field: "tokens", title: "Tokens", unit: "short" },
            { field: "velocity", title: "Tokens a turn", unit: "short" },
            { field: "turns_until_red", title: "Turns until red", unit: "short", none: NO_FIGURE },
          ],
        }),
      ),
      band(
        12,
        liveTable({
          title: "Evictions",
          description: "Blocks that were taken out, cut, merged or summarised, the newest first.",
          measurement: "eviction_event",
          columns: [
            TIME,
            SESSION,
            { field: "agent", title: "Agent" },
            { field: "profile", title: "Profile" },
            { field: "policy", title: "Policy" },
            { field: "rule", title: "Rule" },
            { field: "method", title: "Method" },
            { field: "block_type", title: "Type" },
            { field: "tool", title: "Tool" },
            { field: "block_id", title: "Block" },
            { field: "pass_id", title: "Pass" },
            { field: "score", title: "Score", unit: "short", none: NO_FIGURE },
            { field: "tokens_before", title: "Tokens before", unit: "short" },
            { field: "tokens_after", title: "Tokens after", unit: "short" },
            { field: "tokens_freed", title: "Tokens freed", unit: "short" },
            { field: "turn", title: "Turn", unit: "short", none: NO_FIGURE },
          ],
        }),
      ),
    ),
  ],
};
