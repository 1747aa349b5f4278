import { requireJson } from "./body.ts";
import type { HttpRoute } from "./routes.ts";

/** What the routes need of whoever keeps the alerts. */
export interface AlertReceiver {
  readonly received: number;
  /** Throws ContextdError for a body that is no notification. */
  receive(body: Uint8Array): void;
  list(tenant: string | null): readonly {
    readonly receiver: string;
    readonly receivedAt: number;
    readonly status: "firing" | "resolved";
    readonly fingerprint: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly startsAt: string;
    readonly endsAt: string;
  }[];
}

const PATH = "/alerts/sink";

/**
 * `/alerts/sink`: a receiver for Alertmanager, and what it has received. Alertmanager's notifications are of all tenants,
 * so sending them takes a token of the monitoring's; who reads them sees those of the own tenant.
 */
export function alertRoutes(inbox: AlertReceiver): HttpRoute[] {
  return [
    {
      method: "POST",
      path: PATH,
      summary: "Takes notifications of Alertmanager (webhook, version 4); keeps the last alerts in memory.",
      access: { scope: "metrics", mutates: true },
      async answer({ headers, body }) {
        requireJson(headers);
        inbox.receive(await body());
        return { status: 204, contentType: "application/json", body: "" };
      },
    },
    {
      method: "GET",
      path: PATH,
      summary:
        "The last alerts that came in at this path, the newest first; those of the own tenant alone, unless admin.",
      access: { scope: "operator", mutates: false },
      answer({ principal }) {
        const tenant = principal?.scopes.has("admin") ? null : (principal?.tenant ?? "");
        const alerts = inbox.list(tenant).map(({ receivedAt, startsAt, endsAt, status, ...alert }) => ({
          status,
          ...alert,
          starts_at: startsAt,
          ends_at: status === "firing" ? null : endsAt,
          received_at: receivedAt,
        }));
        const received = tenant === null ? { received: inbox.received } : {};
        return { status: 200, contentType: "application/json", body: JSON.stringify({ ...received, alerts }) };
      },
    },
  ];
}
