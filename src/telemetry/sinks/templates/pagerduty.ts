import type { WebhookTemplate } from "./template.ts";

/** PagerDuty's own limit of `summary`, characters. */
const SUMMARY_CHARACTERS = 1024;

/**
 * PagerDuty's Events API v2 (developer.pagerduty.com, "Send an Alert Event"). `dedup_key` is the fingerprint: repeats
 * fall into the incident that is open, a resolve closes it, a later trigger opens another.
 */
export const pagerduty: WebhookTemplate = {
  url: "https://events.pagerduty.com/v2/enqueue",
  body({ status, fingerprint, alert, severity, labels, annotations, turn, startsAt }, { routingKey }) {
    const { runbook_url, dashboard_url, page_url, summary, description } = annotations;
    const event = { routing_key: routingKey, dedup_key: `contextd-${fingerprint}` };
    if (status === "resolved") return { ...event, event_action: "resolve" };
    const { instance = "contextd", session } = labels;
    const links = [
      { href: page_url, text: "Session" },
      { href: runbook_url, text: "Runbook" },
      { href: dashboard_url, text: "Dashboard" },
    ].filter(({ href }) => /^https?:/.test(href));
    return {
      ...event,
      event_action: "trigger",
      client: "contextd",
      payload: {
        summary: `${summary}: ${description}`.slice(0, SUMMARY_CHARACTERS),
        source: instance,
        severity,
        timestamp: new Date(startsAt).toISOString(),
        class: alert,
        group: labels["profile"] ?? "contextd",
        component: session ?? "contextd",
        custom_details: { ...labels, description, turn, runbook_url, dashboard_url, page_url },
      },
      ...(links.length > 0 && { links }),
    };
  },
};
