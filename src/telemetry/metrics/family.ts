import type { OpenMetricsContentType, Registry } from "prom-client";
import type { Clock } from "../../model/clock.ts";
import type { EventType, PublishedEvent } from "../../model/events.ts";
import type { LlmBreakerReading, LlmCall } from "../../model/llm-call.ts";
import type { Fleet } from "./fleet.ts";
import type { LabelBounds } from "./label-bounds.ts";
import type { SessionView } from "./session-view.ts";

export type MetricsRegistry = Registry<OpenMetricsContentType>;

interface BuildInfo {
  readonly version: string;
  /** Commit of the build; "unknown" outside a checkout. */
  readonly revision: string;
}

export interface MetricsOptions {
  /** How many sessions the top-K family names; 0 switches it off. */
  readonly topSessions: number;
  readonly buildInfo: BuildInfo;
  /** The journal's kind, as the label `store`. */
  readonly store: string;
}

/** Figures of the journal since start; `drainCommits` hands each commit out once. See store/journal.ts. */
interface JournalFigures {
  readonly queued: number;
  readonly errors: number;
  readonly fileBytes: number;
  readonly walBytes: number;
  drainCommits(): readonly { readonly rows: number; readonly seconds: number }[];
}

/** Figures of the event stream since start. */
interface StreamFigures {
  readonly clients: number;
  /** Events that a subscriber was owed and did not get. */
  readonly dropped: number;
  /** Subscribers cut off because they did not keep up. */
  readonly evicted: number;
}

/** Figures of what is pushed to Grafana Live, since start. */
interface LivePushFigures {
  readonly pushes: Iterable<{ readonly transport: string; readonly outcome: string; readonly count: number }>;
  /** Lines that were never pushed. */
  readonly dropped: number;
  /** What carries pushes now; null: nothing does. */
  readonly connected: string | null;
}

/** Sums of one policy over the watched sessions; costs in fresh input tokens. */
export interface ShadowPolicyFigures {
  readonly turns: number;
  readonly needWeight: number;
  readonly lineWeight: number;
  readonly valueWeight: number;
  readonly costTokens: number;
  readonly unmanagedCostTokens: number;
  readonly tokensSent: number;
  readonly prefixHits: number;
  readonly edits: number;
}

/** Figures of shadow mode since start. `policy` is `live` or the name of a candidate. */
interface ShadowFigures {
  readonly watched: number;
  /** Sessions that are no longer watched, by a closed set of reasons. */
  readonly ended: Readonly<Record<string, number>>;
  readonly policies: readonly { readonly policy: string; readonly figures: ShadowPolicyFigures }[];
}

/** Notices of alerts since start, by sink: outcomes and drops are closed sets. */
interface AlertDeliveryFigures {
  readonly sink: string;
  readonly queued: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly drops: Readonly<Record<string, number>>;
}

export interface MetricsDependencies {
  /** All open sessions in memory, of all tenants. Read once a scrape. */
  readonly sessions: () => Iterable<SessionView>;
  /** One open session; null when it is not in memory. */
  readonly session: (tenant: string, id: string) => SessionView | null;
  /** Name of the encoding that counts for a model, as the label `tokenizer`. */
  readonly tokenizerOf: (model: string) => string;
  /** Learned factor of reported over estimated tokens of a tenant's model, now. */
  readonly calibrationOf: (tenant: string, model: string) => number;
  readonly journalStats: () => JournalFigures;
  readonly streamStats: () => StreamFigures;
  readonly livePush: () => LivePushFigures;
  readonly shadow: () => ShadowFigures;
  readonly alertDeliveries: () => readonly AlertDeliveryFigures[];
  /** Spans by what became of them, a closed set; none where no collector is configured. */
  readonly otlpSpans: () => Readonly<Record<string, number>>;
  /** The breakers before the models that are configured. */
  readonly llmBreakers: () => Iterable<LlmBreakerReading>;
  readonly clock: Clock;
}

/** One answered RPC call, as the server saw it. */
export interface HookObservation {
  readonly method: string;
  readonly transport: "http" | "websocket";
  /** `ok`, or the reason of the error (model/errors.ts). */
  readonly outcome: string;
  readonly seconds: number;
  readonly sessionId?: string;
  readonly traceId?: string;
}

export type EventOf<T extends EventType> = Extract<PublishedEvent, { readonly type: T }>;
type EventHandlers = { readonly [T in EventType]?: (event: EventOf<T>) => void };

/** What a family listens to. State gauges listen to nothing: they are read in `collect()`. */
export interface FamilyListener {
  readonly on?: EventHandlers;
  /** The reading at a turn's start, so that a turn with many tool results weighs as much as one with none. */
  readonly onTurn?: (event: EventOf<"pressure.measured">) => void;
  readonly onHook?: (hook: HookObservation) => void;
  readonly onLlmCall?: (call: LlmCall) => void;
  readonly close?: () => void;
}

export interface FamilyContext {
  readonly registry: MetricsRegistry;
  readonly options: MetricsOptions;
  readonly dependencies: MetricsDependencies;
  readonly bounds: LabelBounds;
  /** All open sessions summed up; computed once a scrape, shared by the gauges. */
  readonly fleet: () => Fleet;
}

/** One metric family, or a few that are meaningless apart: makes its metrics in the registry and says what feeds them. */
export type MetricFamily = (context: FamilyContext) => FamilyListener;

/** The label `profile` of an event; `none` for events of the daemon itself. */
export function profileOf(event: PublishedEvent, bounds: LabelBounds): string {
  return event.labels === null ? "none" : bounds.hold("profile", event.labels.profile);
}
