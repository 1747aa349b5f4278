import { generic } from "./generic.ts";
import { pagerduty } from "./pagerduty.ts";
import { slack } from "./slack.ts";
import type { WebhookTemplate } from "./template.ts";

/** Bodies of webhooks by the name that a config uses. */
export const TEMPLATES = { generic, pagerduty, slack } as const satisfies Record<string, WebhookTemplate>;
