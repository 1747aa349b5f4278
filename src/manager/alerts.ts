import type { HealthRule } from "../health/index.ts";
import type { Severity } from "../model/events.ts";
import type { Hook } from "./hook.ts";
import type { Session } from "./session.ts";

/** Alerts that a session raises at what happens to it, and how urgent each is. The names are those of the runbooks. */
const SEVERITY = {
  ContextFloorAboveRed: "critical",
  CompactionFailing: "warning",
  /** Critical once a prompt was given up. */
  ContextOverflow: "warning",
  CheckpointRejected: "warning",
} as const satisfies Record<string, Severity>;

export type AlertName = keyof typeof SEVERITY;

/** Names that no health rule may have: these are raised and ended elsewhere. */
export const OWN_ALERTS: readonly string[] = Object.keys(SEVERITY);

/** Raises an alert, once: one that fires already stays as it is. `summary`: one sentence with figures, no content. */
export function raiseAlert(hook: Hook, alert: AlertName, summary: string, severity: Severity = SEVERITY[alert]): void {
  raise(hook, { alert, severity }, summary);
}

/** As `raiseAlert`, for the alert of a health rule. */
export function raise(hook: Hook, { alert, severity }: Pick<HealthRule, "alert" | "severity">, summary: string): void {
  const { alerts, turn } = hook.session;
  if (Object.hasOwn(alerts, alert)) return;
  hook.emit("alert.raised", { alert, severity, summary, turn });
}

/** Ends an alert, if it fires. */
export function resolveAlert(hook: Hook, alert: string, summary: string): void {
  const { alerts, turn } = hook.session;
  const active = Object.hasOwn(alerts, alert) ? alerts[alert] : undefined;
  if (active !== undefined) hook.emit("alert.resolved", { alert, severity: active.severity, summary, turn });
}

/** Ends every alert of a session that ends: nobody could act on them any more. */
export function resolveAll(hook: Hook): void {
  for (const alert of Object.keys(hook.session.alerts)) resolveAlert(hook, alert, "The session ended.");
}

export function isActive({ alerts }: Session, alert: string): boolean {
  return Object.hasOwn(alerts, alert);
}

/** The alerts that fire now, in the order in which they were raised: what replies and lists show. */
export function activeAlerts({
  alerts,
}: Session): { alert: string; severity: Severity; summary: string; since_turn: number }[] {
  return Object.entries(alerts).map(([alert, { severity, summary, since_turn }]) => ({
    alert,
    severity,
    summary,
    since_turn,
  }));
}
