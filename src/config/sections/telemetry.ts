import { z } from "zod";
import { count, milliseconds } from "./quantities.ts";
import { alertLog } from "./telemetry/alert-log.ts";
import { alertSinks } from "./telemetry/alert-sinks.ts";
import { alertmanager } from "./telemetry/alertmanager.ts";
import { alerts } from "./telemetry/alerts.ts";
import { grafanaLive } from "./telemetry/grafana-live.ts";
import { otlp } from "./telemetry/otlp.ts";
import { webhooks } from "./telemetry/webhooks.ts";

/** What the daemon tells of itself. */
export const telemetry = z
  .strictObject({
    metrics: z
      .strictObject({
        top_sessions: count(0, 1000)
          .default(20)
          .describe("Fullest sessions that get a series of their own in /metrics; 0: none."),
      })
      .prefault({})
      .describe("Prometheus metrics.")
      .meta({ "x-restart": true }),
    events: z
      .strictObject({
        ring: count(16, 10_000_000)
          .default(16_384)
          .describe("Events kept in memory, so that a subscriber who comes back misses none."),
        heartbeat_ms: milliseconds(100)
          .default(20_000)
          .describe("Time between two pings on the event stream, in ms; below the idle timeout of proxies."),
      })
      .prefault({})
      .describe("The event stream.")
      .meta({ "x-restart": true }),
    grafana_live: grafanaLive,
    log: z
      .strictObject({
        level: z
          .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
          .default("info")
          .describe("Least severe line that is logged to standard error."),
      })
      .prefault({})
      .describe("The log."),
    alerts,
    alertmanager,
    webhooks,
    alert_log: alertLog,
    alert_sinks: alertSinks,
    otlp,
  })
  .prefault({})
  .describe("What the daemon tells of itself.");
