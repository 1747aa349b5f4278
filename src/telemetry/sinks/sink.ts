import type { Clock } from "../../model/clock.ts";
import type { Severity } from "../../model/events.ts";
import type { Log } from "../../model/log.ts";
import type { Registry } from "../../model/strategy.ts";
import type { Lookup } from "../../outbound/index.ts";
import type { AlertNotice } from "./notice.ts";

/** What delivers notices: the interface of plug-ins, too. */
export interface AlertSink {
  /**
   * Delivers the notices. Resolves when whoever takes them has taken all. A rejection is tried again, unless the error
   * says `permanent: true`; `retryAfterMs` of it, where there is one, is heeded. `signal` ends it.
   */
  deliver(notices: readonly AlertNotice[], signal: AbortSignal): Promise<void>;
}

/** One receiver of notices, with a queue of its own. */
export interface Destination extends AlertSink {
  /** By which it is known again after a restart. Holds no secret. */
  readonly id: string;
  /** Name of the sink: the label of metrics and log lines. */
  readonly sink: string;
  readonly severities: readonly Severity[];
  /** Most notices in one delivery. */
  readonly batch: number;
  /** Time for one delivery, ms. */
  readonly timeoutMs: number;
  /** What fires is told again at this distance, ms; null: once. */
  readonly repeatMs: number | null;
}

/** Delivery failed. The message and the code hold no address and nothing that was said. */
export class DeliveryError extends Error {
  /** Whether another attempt is in vain. */
  readonly permanent: boolean;
  /** A status, or the system's code, for the log. */
  readonly code: string;
  /** How long the receiver asks to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(sentence: string, details: { permanent: boolean; code: string; retryAfterMs?: number | undefined }) {
    super(sentence);
    this.name = "DeliveryError";
    this.permanent = details.permanent;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The part of the config section `telemetry` that sinks read. */
export interface SinkSettings {
  readonly alertmanager: {
    readonly urls: readonly string[];
    readonly severities: readonly Severity[];
    readonly timeout_ms: number;
    readonly resolve_after_ms: number;
    readonly external_url: string | null;
    readonly basic_auth: { readonly username: string; readonly password_file: string } | null;
    readonly bearer_token_file: string | null;
  };
  readonly webhooks: Readonly<Record<string, WebhookSettings>>;
  readonly alert_log: { readonly enabled: boolean; readonly severities: readonly Severity[] };
  readonly alert_sinks: Readonly<
    Record<string, { readonly severities: readonly Severity[]; readonly options: Readonly<Record<string, unknown>> }>
  >;
}

export interface WebhookSettings {
  readonly template: "generic" | "pagerduty" | "slack";
  readonly url: string | null;
  readonly url_file: string | null;
  readonly severities: readonly Severity[];
  readonly timeout_ms: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bearer_token_file: string | null;
  readonly routing_key_file: string | null;
}

export interface SinkDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Text of a file with a secret. Throws when it cannot be read. */
  readonly readSecretFile: (file: string) => string;
  /** The user's own sinks: strategies that make an AlertSink. */
  readonly plugged: Registry<unknown>;
  readonly lookup?: Lookup;
}

/**
 * A kind of sink: the destinations that the settings ask for, none where they ask for none. Throws ContextdError
 * `invalid_params` where a file is named that holds no secret.
 */
export type SinkOpener = (settings: SinkSettings, dependencies: SinkDependencies) => readonly Destination[];
