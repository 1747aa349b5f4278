import type { AlertNotice } from "../notice.ts";

export interface TemplateSecrets {
  readonly routingKey: string | null;
}

/** The form of a webhook's body. */
export interface WebhookTemplate {
  /** Where it goes unless the config says otherwise; null: the config must say. */
  readonly url: string | null;
  body(notice: AlertNotice, secrets: TemplateSecrets): unknown;
}
