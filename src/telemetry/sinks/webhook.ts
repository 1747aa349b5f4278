import type { AlertNotice } from "./notice.ts";
import { postJson } from "./post.ts";
import { secretReader } from "./secret.ts";
import {
  DeliveryError,
  type Destination,
  type SinkDependencies,
  type SinkOpener,
  type WebhookSettings,
} from "./sink.ts";
import { TEMPLATES } from "./templates/index.ts";

/** Webhooks: one notice a request, in the form of a template. */
export const webhook: SinkOpener = ({ webhooks }, dependencies) =>
  Object.entries(webhooks).map(([name, settings]) => destinationOf(name, settings, dependencies));

function destinationOf(name: string, settings: WebhookSettings, dependencies: SinkDependencies): Destination {
  const { severities, timeout_ms, headers } = settings;
  const { clock, lookup } = dependencies;
  const secret = (key: "url_file" | "bearer_token_file" | "routing_key_file") =>
    secretReader(`webhooks.${name}.${key}`, settings[key], dependencies);
  const template = TEMPLATES[settings.template];
  const urlIn = secret("url_file");
  const token = secret("bearer_token_file");
  const routingKey = secret("routing_key_file");
  const authorization = (): Record<string, string> => {
    const bearer = token();
    return bearer === null ? {} : { authorization: `Bearer ${bearer}` };
  };
  return {
    id: `webhook:${name}`,
    sink: name,
    severities,
    batch: 1,
    timeoutMs: timeout_ms,
    repeatMs: null,
    async deliver([notice], signal) {
      const url = checked(settings.url ?? urlIn() ?? template.url);
      const body = template.body(notice as AlertNotice, { routingKey: routingKey() });
      const request = { url, headers: { ...authorization(), ...headers }, body };
      await postJson(request, { signal, now: () => clock.now(), ...(lookup && { lookup }) });
    },
  };
}

/** A URL out of a file was seen by no schema. */
function checked(url: string | null): string {
  if (url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new DeliveryError("The URL in url_file is none.", { permanent: false, code: "no_url" });
}
