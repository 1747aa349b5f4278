import type { Summary } from "./manager/summary.ts";
import type { SessionKey } from "./model/session-key.ts";
import type { SessionView } from "./telemetry/metrics/index.ts";
import type { FiringAlert } from "./telemetry/sinks/index.ts";

/** A session with what is known of it without loading it. */
interface Listed {
  readonly key: SessionKey;
  readonly summary: Summary;
}

/** Sessions as metrics see them. */
export function* viewsOf(summaries: Iterable<Listed>): Iterable<SessionView> {
  for (const { key, summary } of summaries) yield viewOf(key, summary);
}

/** One session as metrics see it. */
export function viewOf(key: SessionKey, summary: Summary): SessionView {
  return {
    tenant: key.tenant,
    id: key.id,
    profile: summary.profile,
    model: summary.model,
    zone: summary.zone,
    status: summary.status,
    tokens: summary.tokens,
    maxTokens: summary.max_tokens,
    utilization: summary.utilization,
    componentTokens: summary.component_tokens,
    componentLimits: summary.component_limits,
    floorTokens: summary.floor_tokens,
    alerts: summary.alerts,
    lastSeenAt: summary.last_seen,
  };
}

/** Alerts that fire, as their sinks tell them. */
export function* firingAlerts(summaries: Iterable<Listed>): Iterable<FiringAlert> {
  for (const { key, summary } of summaries) {
    const { agent, profile, model, last_seen: at } = summary;
    for (const { alert, severity, summary: told, since_turn: turn } of summary.alerts) {
      yield { alert, severity, tenant: key.tenant, session: key.id, agent, profile, model, summary: told, turn, at };
    }
  }
}

/** What is known of them, without their names. */
export function* summariesOf(listed: Iterable<Listed>): Iterable<Summary> {
  for (const { summary } of listed) yield summary;
}
