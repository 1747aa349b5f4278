import { z } from "zod";
import { count, milliseconds } from "../quantities.ts";

const link = () => z.string().max(2048).regex(/^\S*$/, "must hold no white space");

/** What holds for all alert sinks. */
export const alerts = z
  .strictObject({
    instance: z
      .string()
      .min(1)
      .max(255)
      .nullable()
      .default(null)
      .describe("Label `instance` of alerts; null: the name of the machine. Part of what identifies an alert."),
    runbook_base_url: link()
      .default("docs/runbooks")
      .describe("What `runbook_url` begins with; `/<Alert>.md` follows. The default leads into contextd's sources."),
    dashboard_base_url: link()
      .default("http://localhost:3000/d/contextd-alerts")
      .describe("Dashboard that `dashboard_url` leads to; `?var-profile=…&var-session=…` follows."),
    page_base_url: link()
      .default("http://127.0.0.1:7420")
      .describe("This daemon's page as people reach it, path prefix included; `page_url` leads to the session there."),
    queue: count(1, 1_000_000)
      .default(10_000)
      .describe("Notices that wait for one sink; beyond it the oldest superseded one is dropped first."),
    concurrency: count(1, 100)
      .default(4)
      .describe("Requests to one sink at once; those about one alert keep their order."),
    retry_for_ms: milliseconds()
      .default(3_600_000)
      .describe("Time for which a notice is tried again after network errors, redirects, 5xx and 429, in ms."),
    drain_ms: count(0, 4_000).default(3_000).describe("Time that a stopping daemon gives to what waits, in ms."),
  })
  .prefault({})
  .describe("How the daemon's own alerts are delivered, by whichever sink.")
  .meta({ "x-restart": true });
