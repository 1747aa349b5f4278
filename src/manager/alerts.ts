import type { Severity } from "../model/events.ts";
import type { Hook } from "./hook.ts";
import type { Session } from "./session.ts";

/** Every alert that a session raises itself, and how urgent it is. The names are those of the runbooks. */
const SEVERITY = {
  ContextFloorAboveRed: "critical",
  CompactionFailing: "warning",
} as const satisfies Record<string, Severity>;

export type AlertName = keyof typeof SEVERITY;

/** Raises an alert, once: one that fires already stays as it is. `summary`: one sentence with figures, no content. */
export function raiseAlert(hook: Hook, alert: AlertName, summary: string): void {
  const { alerts, turn } = hook.session;
  if (Object.hasOwn(alerts, alert)) return;
  hook.emit("alert.raised", { alert, severity: SEVERITY[alert], summary, turn });
}

/** Ends an alert, if it fires. */
export function resolveAlert(hook: Hook, alert: AlertName, summary: string): void {
  const { alerts, turn } = hook.session;
  if (!Object.hasOwn(alerts, alert)) return;
  hook.emit("alert.resolved", { alert, severity: SEVERITY[alert], summary, turn });
}

/** Ends every alert of a session that ends: nobody could act on them any more. */
export function resolveAll(hook: Hook): void {
  for (const alert of Object.keys(hook.session.alerts)) resolveAlert(hook, alert as AlertName, "The session ended.");
}

export function isActive({ alerts }: Session, alert: AlertName): boolean {
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
