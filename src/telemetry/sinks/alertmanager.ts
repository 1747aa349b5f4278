import { createHash } from "node:crypto";
import type { AlertNotice } from "./notice.ts";
import { postJson } from "./post.ts";
import { secretReader } from "./secret.ts";
import type { SinkOpener } from "./sink.ts";

/** Alerts in one request. */
const BATCH = 64;

/**
 * Alertmanager's own API, version 2. An alert is known by its labels; it ends by itself at `endsAt`, so what fires is
 * sent again at a third of that distance, with a new `endsAt`; what is resolved is sent with an `endsAt` of its end.
 */
export const alertmanager: SinkOpener = ({ alertmanager: settings }, dependencies) => {
  const { urls, severities, timeout_ms, resolve_after_ms, external_url, basic_auth, bearer_token_file } = settings;
  if (urls.length === 0) return [];
  const { clock, lookup } = dependencies;
  const password = secretReader(
    "alertmanager.basic_auth.password_file",
    basic_auth?.password_file ?? null,
    dependencies,
  );
  const token = secretReader("alertmanager.bearer_token_file", bearer_token_file, dependencies);
  const authorization = (): Record<string, string> => {
    if (basic_auth) return { authorization: `Basic ${base64(`${basic_auth.username}:${password()}`)}` };
    const bearer = token();
    return bearer === null ? {} : { authorization: `Bearer ${bearer}` };
  };
  return [...new Set(urls.map((url) => url.replace(/\/+$/, "")))].map((url) => ({
    id: `alertmanager:${createHash("sha256").update(url).digest("hex").slice(0, 12)}`,
    sink: "alertmanager",
    severities,
    batch: BATCH,
    timeoutMs: timeout_ms,
    repeatMs: Math.max(1, Math.floor(resolve_after_ms / 3)),
    deliver: (notices, signal) => {
      const now = clock.now();
      const body = notices.map((notice) => postableAlert(notice, now + resolve_after_ms, external_url));
      const request = { url: `${url}/api/v2/alerts`, headers: authorization(), body };
      return postJson(request, { signal, now: () => clock.now(), ...(lookup && { lookup }) });
    },
  }));
};

/** One alert as the API takes it. `until`: when it ends unless it is sent again. */
export function postableAlert(notice: AlertNotice, until: number, externalUrl: string | null) {
  const { labels, annotations, startsAt, endsAt } = notice;
  return {
    labels,
    annotations,
    startsAt: new Date(startsAt).toISOString(),
    endsAt: new Date(endsAt ?? Math.max(until, startsAt)).toISOString(),
    ...(externalUrl !== null && { generatorURL: externalUrl }),
  };
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
