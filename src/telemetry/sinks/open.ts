import { hostname } from "node:os";
import { AlertSinks } from "./alert-sinks.ts";
import type { RecordFile } from "./record.ts";
import { SINKS } from "./registry.ts";
import type { SinkDependencies, SinkSettings } from "./sink.ts";

/** The config section `telemetry`, as far as alerts are concerned. */
export interface AlertSettings extends SinkSettings {
  readonly alerts: {
    readonly instance: string | null;
    readonly runbook_base_url: string;
    readonly dashboard_base_url: string;
    readonly page_base_url: string;
    readonly queue: number;
    readonly concurrency: number;
    readonly retry_for_ms: number;
    readonly drain_ms: number;
  };
}

/** The sinks that are configured. Nothing is sent before `start`. Throws ContextdError for a secret that is missing. */
export function openAlertSinks(
  settings: AlertSettings,
  dependencies: SinkDependencies & { readonly record: RecordFile | null },
): AlertSinks {
  const { alerts } = settings;
  const { record, clock, log } = dependencies;
  const destinations = Object.values(SINKS).flatMap((open) => open(settings, dependencies));
  return new AlertSinks(
    {
      instance: alerts.instance ?? hostname(),
      runbookBaseUrl: alerts.runbook_base_url,
      dashboardBaseUrl: alerts.dashboard_base_url,
      pageBaseUrl: alerts.page_base_url,
      queue: alerts.queue,
      concurrency: alerts.concurrency,
      retryForMs: alerts.retry_for_ms,
      drainMs: alerts.drain_ms,
    },
    { destinations, record, clock, log },
  );
}
