import type { SinkOpener } from "./sink.ts";

/** Alerts as lines of the daemon's log. */
export const log: SinkOpener = ({ alert_log: { enabled, severities } }, { log: lines }) =>
  enabled
    ? [
        {
          id: "log",
          sink: "log",
          severities,
          batch: 1,
          timeoutMs: 1_000,
          repeatMs: null,
          async deliver([notice]) {
            if (!notice) return;
            const { alert, severity, labels, fingerprint, turn, annotations } = notice;
            const { tenant, session } = labels;
            const fields = { alert, severity, tenant, session, fingerprint, turn, figures: annotations.description };
            if (notice.status === "resolved") lines.info(fields, "alert resolved");
            else lines[severity === "info" ? "info" : "warn"](fields, "alert raised");
          },
        },
      ]
    : [];
