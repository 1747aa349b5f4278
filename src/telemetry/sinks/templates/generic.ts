import { z } from "zod";
import { SEVERITIES } from "../../../model/events.ts";
import type { WebhookTemplate } from "./template.ts";

/** The body of contextd's own form, version 1: fields may be added to it, none is taken away or given another meaning. */
export const genericBody = z.strictObject({
  version: z.literal(1),
  status: z.enum(["firing", "resolved"]),
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe("The same for every notice about one alert of one session: a notice that comes twice has it twice."),
  alert: z.string(),
  severity: z.enum(SEVERITIES),
  labels: z
    .record(z.string(), z.string())
    .describe("alertname, severity, instance, tenant, session, agent, profile, model."),
  annotations: z.strictObject({
    summary: z.string(),
    description: z.string().describe("One sentence with figures."),
    runbook_url: z.string(),
    dashboard_url: z.string(),
    page_url: z.string().describe("The session on the daemon's own page, at the turn of the alert."),
  }),
  turn: z.int().describe("Turn of the session."),
  starts_at: z.iso.datetime(),
  ends_at: z.iso.datetime().nullable().describe("null while it fires."),
});

/** contextd's own form: the notice as it is. */
export const generic: WebhookTemplate = {
  url: null,
  body: ({ status, fingerprint, alert, severity, labels, annotations, turn, startsAt, endsAt }) =>
    ({
      version: 1,
      status,
      fingerprint,
      alert,
      severity,
      labels: { ...labels },
      annotations,
      turn,
      starts_at: new Date(startsAt).toISOString(),
      ends_at: endsAt === null ? null : new Date(endsAt).toISOString(),
    }) satisfies z.output<typeof genericBody>,
};
