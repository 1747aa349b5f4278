import type { PublishedEvent, Severity } from "../../../src/model/events.ts";
import type { AlertSettings } from "../../../src/telemetry/sinks/open.ts";
import { published } from "../../support/published-event.ts";
import type { LogLine } from "../../support/recording-log.ts";

let sequence = 1;

function event(
  type: "alert.raised" | "alert.resolved",
  session: string,
  alert: string,
  severity: Severity,
): PublishedEvent {
  const summary = `${type === "alert.raised" ? "3900" : "900"} of 4000 tokens.`;
  return published(type, { alert, severity, summary, turn: 7 }, { session, sequence: ++sequence, at: Date.now() });
}

export const raised = (session: string, alert = "ContextOverflow", severity: Severity = "critical") =>
  event("alert.raised", session, alert, severity);

export const resolved = (session: string, alert = "ContextOverflow", severity: Severity = "critical") =>
  event("alert.resolved", session, alert, severity);

const ALL: readonly Severity[] = ["critical", "warning", "info"];

/** The section `telemetry` without any sink; `over` puts them in. */
export function settings(
  over: Partial<AlertSettings> = {},
  alerts: Partial<AlertSettings["alerts"]> = {},
): AlertSettings {
  return {
    alertmanager: {
      urls: [],
      severities: ALL,
      timeout_ms: 2_000,
      resolve_after_ms: 300_000,
      external_url: null,
      basic_auth: null,
      bearer_token_file: null,
    },
    webhooks: {},
    alert_log: { enabled: false, severities: ALL },
    alert_sinks: {},
    ...over,
    alerts: {
      instance: "host-1",
      runbook_base_url: "https://runbooks.example/",
      dashboard_base_url: "https://grafana.example/d/contextd-alerts",
      page_base_url: "https://contextd.example",
      queue: 1000,
      concurrency: 8,
      retry_for_ms: 60_000,
      drain_ms: 1_000,
      ...alerts,
    },
  };
}

export function webhookAt(url: string, over: Partial<AlertSettings["webhooks"][string]> = {}) {
  return {
    template: "generic" as const,
    url,
    url_file: null,
    severities: ALL,
    timeout_ms: 300,
    headers: {},
    bearer_token_file: null,
    routing_key_file: null,
    ...over,
  };
}

/** A record in memory: what a crash leaves is what was last written. */
export function memoryRecord() {
  const state = {
    text: null as string | null,
    writes: 0,
    read: async () => state.text,
    write: async (text: string) => {
      state.writes += 1;
      state.text = text;
    },
  };
  return state;
}

export function messagesOf(lines: readonly LogLine[]): string[] {
  return lines.map(({ level, message }) => `${level} ${message}`);
}
