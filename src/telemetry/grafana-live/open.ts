import { lookupAll, staysHere } from "../../outbound/index.ts";
import { GrafanaLive, type GrafanaLiveDependencies, type GrafanaLiveOptions } from "./grafana-live.ts";

/** The config section `telemetry.grafana_live`. */
export interface GrafanaLiveSettings extends Omit<GrafanaLiveOptions, "url" | "flushMs" | "timings"> {
  readonly url: string | null;
  readonly flush_ms: number;
}

/** null: pushing is not configured. */
export function openGrafanaLive(
  { url, flush_ms, ...settings }: GrafanaLiveSettings,
  dependencies: Omit<GrafanaLiveDependencies, "lookup" | "random">,
): GrafanaLive | null {
  if (url === null) return null;
  const { protocol, hostname } = new URL(url);
  const hasSecret = settings.token_file !== null || settings.password_file !== null;
  if (hasSecret && protocol !== "https:" && !staysHere(hostname)) {
    const { log } = dependencies;
    log.warn({ host: hostname }, "a secret is sent over plain http: use https in telemetry.grafana_live.url");
  }
  return new GrafanaLive({ ...settings, url, flushMs: flush_ms }, { ...dependencies, lookup: lookupAll });
}
