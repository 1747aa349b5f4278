import type { Clock } from "../../model/clock.ts";
import type { Observer, PublishedEvent } from "../../model/events.ts";
import { ATTRIBUTES } from "./attribute-names.ts";
import { type Compaction, PendingCompactions } from "./pending-compactions.ts";
import { providerOf } from "./providers.ts";
import type { Span } from "./span.ts";
import { type TraceContext, traceContext } from "./trace-context.ts";

/** One answered call, as the dispatcher saw it. */
export interface TracedCall {
  readonly method: string;
  readonly transport: string;
  readonly tenant: string;
  /** `ok`, or the reason of the error (model/errors.ts). */
  readonly outcome: string;
  readonly seconds: number;
  readonly sessionId?: string;
  readonly traceparent?: string;
}

export interface TracerOptions {
  /** Share of the traces without a parent that are told, 0 to 1. */
  readonly sampleRatio: number;
}

export interface TracerDependencies {
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** So many random bytes as hex, not all of them zero. */
  readonly randomHex: (bytes: number) => string;
  readonly add: (span: Span) => void;
}

/** Reasons that are the daemon's own failure, not the caller's mistake. */
const FAILURES = new Set(["internal_error", "storage_unavailable", "overloaded"]);

/** Where a span stands: its trace, what is above it, and whether it is told. */
interface Place {
  readonly traceId: string;
  readonly parent: Span["parent"];
  readonly sampled: boolean;
}

/**
 * Makes spans: one of each call, and one of each pass over a context, below that of the call that made it. A caller's
 * trace is gone on with, and its decision whether it is told holds; without one the ratio decides.
 */
export class Tracer implements Observer {
  readonly name = "otlp";
  readonly #options: TracerOptions;
  readonly #deps: TracerDependencies;
  readonly #pending = new PendingCompactions();

  constructor(options: TracerOptions, dependencies: TracerDependencies) {
    this.#options = options;
    this.#deps = dependencies;
  }

  observe(events: readonly PublishedEvent[]): void {
    for (const compaction of this.#pending.file(events)) this.#tellOrphan(compaction);
  }

  /** To be told of each call when it is answered. */
  observeCall(call: TracedCall): void {
    const endMs = this.#deps.clock.now();
    const startMs = endMs - call.seconds * 1_000;
    const { sessionId, tenant, traceparent } = call;
    const made = sessionId === undefined ? [] : this.#pending.take({ tenant, sessionId, traceparent, startMs });
    const place = this.#placeBelow(traceContext(traceparent));
    if (!place.sampled) return;
    const spanId = this.#deps.randomHex(8);
    const { traceId, parent } = place;
    this.#deps.add({
      traceId,
      spanId,
      parent,
      name: call.method,
      kind: "server",
      startMs,
      endMs,
      attributes: {
        [ATTRIBUTES.rpcSystem]: "jsonrpc",
        [ATTRIBUTES.rpcVersion]: "2.0",
        [ATTRIBUTES.rpcMethod]: call.method,
        [ATTRIBUTES.transport]: call.transport,
        [ATTRIBUTES.conversation]: sessionId,
        [ATTRIBUTES.errorType]: call.outcome === "ok" ? undefined : call.outcome,
      },
      failed: FAILURES.has(call.outcome),
    });
    const below = { traceId, parent: { spanId, remote: false }, sampled: true };
    for (const compaction of made) this.#deps.add(this.#compactionSpan(compaction, below, startMs));
  }

  /** Tells of passes that no call has claimed; all of them where `now` is infinite. */
  settle(now: number): void {
    for (const compaction of this.#pending.orphans(now)) this.#tellOrphan(compaction);
  }

  #tellOrphan(compaction: Compaction): void {
    const place = this.#placeBelow(traceContext(compaction.event.traceparent));
    if (place.sampled) this.#deps.add(this.#compactionSpan(compaction, place, 0));
  }

  #placeBelow(above: TraceContext | null): Place {
    if (above !== null) {
      const { traceId, spanId, sampled } = above;
      return { traceId, parent: { spanId, remote: true }, sampled };
    }
    const sampled = this.#deps.random() < this.#options.sampleRatio;
    return { traceId: sampled ? this.#deps.randomHex(16) : "", parent: null, sampled };
  }

  /** What is known of a pass's time is its moment, and how long its call waited for a summary before. */
  #compactionSpan({ event, utilization }: Compaction, { traceId, parent }: Place, notBefore: number): Span {
    const { at, session, labels, data } = event;
    return {
      traceId,
      spanId: this.#deps.randomHex(8),
      parent,
      name: "compaction",
      kind: "internal",
      startMs: Math.max(notBefore, at - data.waited_ms),
      endMs: at,
      attributes: {
        [ATTRIBUTES.conversation]: session ?? undefined,
        [ATTRIBUTES.agent]: labels?.agent,
        [ATTRIBUTES.model]: labels?.model,
        [ATTRIBUTES.provider]: providerOf(labels?.model ?? ""),
        [ATTRIBUTES.strategy]: data.strategy,
        [ATTRIBUTES.summarizer]: data.summarizer,
        [ATTRIBUTES.cause]: data.cause,
        [ATTRIBUTES.tokensBefore]: data.tokens_before,
        [ATTRIBUTES.tokensAfter]: data.tokens_after,
        [ATTRIBUTES.utilization]: utilization,
      },
      failed: false,
    };
  }
}
