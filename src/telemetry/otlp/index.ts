import { randomBytes } from "node:crypto";
import type { Clock } from "../../model/clock.ts";
import type { Observer } from "../../model/events.ts";
import type { Log } from "../../model/log.ts";
import { ATTRIBUTES } from "./attribute-names.ts";
import { SpanExporter, type SpanOutcome } from "./exporter.ts";
import { headersReader } from "./headers-file.ts";
import { type TracedCall, Tracer } from "./tracer.ts";

/** The config section `telemetry.otlp`. */
export interface OtlpSettings {
  readonly endpoint: string | null;
  readonly headers_file: string | null;
  readonly sample_ratio: number;
  readonly timeout_ms: number;
  readonly queue: number;
}

export interface OtlpDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly readSecretFile: (file: string) => string;
  readonly service: { readonly version: string; readonly instance: string };
  /** Longest time that a span waits for others, ms; for tests. */
  readonly flushMs?: number;
}

/** Traces of a daemon on their way to a collector. */
export interface Otlp {
  readonly observer: Observer;
  observeCall(call: TracedCall): void;
  /** Spans since start, by what became of them. */
  outcomes(): Readonly<Record<SpanOutcome, number>>;
  close(): Promise<void>;
}

/** Time between two looks for passes that no call has claimed, ms. */
const SETTLE_EVERY_MS = 1_000;

/** null where no collector is configured. Throws ContextdError for a file of headers that cannot be read. */
export function openOtlp(settings: OtlpSettings, dependencies: OtlpDependencies): Otlp | null {
  const { endpoint } = settings;
  if (endpoint === null) return null;
  const { clock, log, service, readSecretFile, flushMs } = dependencies;
  const random = Math.random;
  const exporter = new SpanExporter(
    {
      url: new URL(`${endpoint.replace(/\/+$/, "")}/v1/traces`),
      headers: headersReader(settings.headers_file, readSecretFile),
      timeoutMs: settings.timeout_ms,
      queue: settings.queue,
      resource: {
        attributes: {
          [ATTRIBUTES.serviceName]: "contextd",
          [ATTRIBUTES.serviceVersion]: service.version,
          [ATTRIBUTES.serviceInstance]: service.instance,
        },
        scope: { name: "contextd", version: service.version },
      },
      ...(flushMs === undefined ? {} : { flushMs }),
    },
    { clock, log, random },
  );
  const tracer = new Tracer(
    { sampleRatio: settings.sample_ratio },
    { clock, random, randomHex: (bytes) => randomHex(bytes), add: (span) => exporter.add(span) },
  );
  const timer = setInterval(() => tracer.settle(clock.now()), SETTLE_EVERY_MS).unref();
  return {
    observer: tracer,
    observeCall: (call) => tracer.observeCall(call),
    outcomes: () => exporter.outcomes(),
    async close() {
      clearInterval(timer);
      tracer.settle(Number.POSITIVE_INFINITY);
      await exporter.close();
    },
  };
}

/** An id of nothing but zeros is no id. */
function randomHex(bytes: number): string {
  for (;;) {
    const id = randomBytes(bytes);
    if (id.some((byte) => byte !== 0)) return id.toString("hex");
  }
}
