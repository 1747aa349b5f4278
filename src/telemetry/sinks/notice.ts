import { createHash } from "node:crypto";
import type { Severity } from "../../model/events.ts";

/** What an alert tells of itself, and by which Alertmanager knows it: the same from its raising to its end. */
export type AlertLabels = Readonly<Record<string, string>>;

/** One message about one alert, as sinks are given it: ids and figures, no content. */
export interface AlertNotice {
  readonly status: "firing" | "resolved";
  /** 32 hex digits: the same for every notice about one alert of one session, repeats and later raisings included. */
  readonly fingerprint: string;
  readonly alert: string;
  readonly severity: Severity;
  /** alertname, severity, instance, tenant, session, agent, profile, model; those that are empty are absent. */
  readonly labels: AlertLabels;
  readonly annotations: {
    /** The alert and its session. */
    readonly summary: string;
    /** One sentence with figures: why it fires, or why no more. */
    readonly description: string;
    readonly runbook_url: string;
    readonly dashboard_url: string;
    /** The session on the daemon's own page, at the turn at which the alert was raised. */
    readonly page_url: string;
  };
  /** Turn of the session at which it was raised, or resolved. */
  readonly turn: number;
  /** Milliseconds since the epoch. */
  readonly startsAt: number;
  /** null while it fires; never before startsAt. */
  readonly endsAt: number | null;
}

/** Who an alert is about. */
export interface AlertSubject {
  readonly alert: string;
  readonly severity: Severity;
  readonly tenant: string;
  /** null: the daemon itself. */
  readonly session: string | null;
  readonly agent: string;
  readonly profile: string;
  readonly model: string;
}

export interface NoticeOptions {
  readonly instance: string;
  readonly runbookBaseUrl: string;
  readonly dashboardBaseUrl: string;
  readonly pageBaseUrl: string;
}

/** By what does not change while the alert fires: its name, session and instance, not the model that is talked to. */
export function fingerprintOf(instance: string, tenant: string, session: string | null, alert: string): string {
  const identity = JSON.stringify([instance, tenant, session, alert]);
  return createHash("sha256").update(identity).digest("hex").slice(0, 32);
}

export function labelsOf(subject: AlertSubject, instance: string): AlertLabels {
  const { alert, severity, tenant, session, agent, profile, model } = subject;
  const all = { alertname: alert, severity, instance, tenant, session: session ?? "", agent, profile, model };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

export function annotationsOf(
  labels: AlertLabels,
  description: string,
  raisedAtTurn: number,
  { runbookBaseUrl, dashboardBaseUrl, pageBaseUrl }: NoticeOptions,
): AlertNotice["annotations"] {
  const { alertname = "", session } = labels;
  return {
    summary: session === undefined ? alertname : `${alertname} in session ${session}`,
    description,
    runbook_url: `${withoutSlash(runbookBaseUrl)}/${encodeURIComponent(alertname)}.md`,
    dashboard_url: dashboardUrl(labels, dashboardBaseUrl),
    page_url: pageUrl(labels, raisedAtTurn, pageBaseUrl),
  };
}

function dashboardUrl({ profile, session }: AlertLabels, base: string): string {
  const variables = Object.entries({ "var-profile": profile, "var-session": session });
  const query = variables.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(wellFormed(value))}`],
  );
  return query.length === 0 ? base : `${base}${base.includes("?") ? "&" : "?"}${query.join("&")}`;
}

/** Names stand behind the `#`, so that no server and no proxy between is told them. */
function pageUrl({ alertname = "", session }: AlertLabels, turn: number, base: string): string {
  const page = `${withoutSlash(base)}/#/`;
  if (session === undefined) return `${page}fleet`;
  const query = `alert=${encodeURIComponent(alertname)}&turn=${turn}`;
  return `${page}session/${encodeURIComponent(wellFormed(session))}?${query}`;
}

function withoutSlash(base: string): string {
  return base.replace(/\/+$/, "");
}

/** A lone surrogate has no place in a URL. */
function wellFormed(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
