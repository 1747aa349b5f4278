import type { z } from "zod";
import type { Clock } from "../../model/clock.ts";
import { ContextdError } from "../../model/errors.ts";
import { type NotifiedAlert, notificationSchema } from "./notification.ts";

/** An alert as it came in. */
export interface ReceivedAlert extends NotifiedAlert {
  /** Alertmanager's receiver by whose route it came. */
  readonly receiver: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** Keeps the last alerts that Alertmanager sent, in memory: a receiver for who has set up no other. */
export class AlertInbox {
  readonly #limit: number;
  readonly #clock: Clock;
  #alerts: ReceivedAlert[] = [];
  #received = 0;

  constructor(limit: number, dependencies: { readonly clock: Clock }) {
    this.#limit = limit;
    this.#clock = dependencies.clock;
  }

  /** Alerts since the start. */
  get received(): number {
    return this.#received;
  }

  /** Takes a notification. Throws ContextdError `invalid_params` for what is none; the message holds nothing of it. */
  receive(body: Uint8Array): void {
    const parsed = notificationSchema.safeParse(jsonOf(body));
    if (!parsed.success) throw refusal(parsed.error);
    const { alerts, receiver } = parsed.data;
    const receivedAt = this.#clock.now();
    this.#received += alerts.length;
    const fresh = alerts.map((alert) => ({ ...alert, receiver, receivedAt })).reverse();
    this.#alerts = [...fresh, ...this.#alerts].slice(0, this.#limit);
  }

  /** The newest first. `tenant`: its own alone; null: all, those of the daemon itself included. */
  list(tenant: string | null): readonly ReceivedAlert[] {
    return tenant === null ? this.#alerts : this.#alerts.filter(({ labels }) => labels["tenant"] === tenant);
  }
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** Names where the body differs by keys of the format's own; what may stand there is the sender's. */
function refusal(error: z.ZodError): ContextdError {
  const [first] = error.issues;
  const path = (first?.path ?? []).filter(
    (key) =>
      typeof key === "number" ||
      /^(alerts|version|status|receiver|labels|annotations|startsAt|endsAt|fingerprint|truncatedAlerts)$/.test(
        String(key),
      ),
  );
  const where = path.length === 0 ? "the body" : `\`${path.join(".")}\``;
  return new ContextdError(
    "invalid_params",
    `This is no notification of Alertmanager's webhook, version 4: ${where} is not as it should be.`,
  );
}
