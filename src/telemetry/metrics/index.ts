import { type OpenMetricsContentType, prometheusContentType, Registry } from "prom-client";
import type { EventType, Observer, PublishedEvent } from "../../model/events.ts";
import type { LlmCall } from "../../model/llm-call.ts";
import { FAMILIES } from "./families/index.ts";
import type { FamilyContext, FamilyListener, HookObservation, MetricsDependencies, MetricsOptions } from "./family.ts";
import { summarise } from "./fleet.ts";
import { LabelBounds } from "./label-bounds.ts";
import { toPrometheusText, wantsPrometheusText } from "./text-format.ts";

export type { SessionView } from "./session-view.ts";

interface MetricDescription {
  /** As it appears in the Prometheus text format: counters end in `_total`. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly labels: readonly string[];
  readonly help: string;
}

export interface Metrics {
  /** To be subscribed to the manager's events. */
  readonly observer: Observer;
  /** Called by the server once for each answered call. */
  observeHook(hook: HookObservation): void;
  /** To be told of every finished call to a model. */
  observeLlmCall(call: LlmCall): void;
  /** The exposition: OpenMetrics, or plain text for a client whose Accept header takes only that. */
  render(accept: string | undefined): Promise<{ readonly contentType: string; readonly body: string }>;
  /** All metrics there are, for documents and tests. */
  describe(): readonly MetricDescription[];
  /** Stops the event-loop and GC monitors. */
  close(): void;
}

/** The metrics of one daemon, in a registry of their own. */
export function createMetrics(options: MetricsOptions, dependencies: MetricsDependencies): Metrics {
  // The content type comes first: prom-client decides on exemplars and counter names when a metric is made.
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const bounds = new LabelBounds();
  let fleet = summarise([], 0, bounds);
  const context: FamilyContext = { registry, options, dependencies, bounds, fleet: () => fleet };
  const listeners = FAMILIES.map((family) => family(context));
  const descriptions = describe(registry);
  const handlers = handlersByType(listeners);
  const turnListeners = listeners.flatMap((listener) => (listener.onTurn === undefined ? [] : [listener.onTurn]));
  const hookListeners = listeners.flatMap((listener) => (listener.onHook === undefined ? [] : [listener.onHook]));

  const llmListeners = listeners.flatMap((listener) => (listener.onLlmCall === undefined ? [] : [listener.onLlmCall]));

  const observeOne = (event: PublishedEvent): void => {
    for (const handle of handlers.get(event.type) ?? []) handle(event);
    if (event.type === "pressure.measured" && event.data.moment === "turn") {
      for (const listen of turnListeners) listen(event);
    }
  };

  return {
    observer: {
      name: "metrics",
      observe(events) {
        for (const event of events) observeOne(event);
      },
    },
    observeHook(hook) {
      for (const listen of hookListeners) listen(hook);
    },
    observeLlmCall(call) {
      for (const listen of llmListeners) listen(call);
    },
    async render(accept) {
      fleet = summarise(dependencies.sessions(), options.topSessions, bounds);
      const openMetrics = await registry.metrics();
      if (wantsPrometheusText(accept)) {
        return { contentType: prometheusContentType, body: toPrometheusText(openMetrics) };
      }
      return { contentType: Registry.OPENMETRICS_CONTENT_TYPE, body: openMetrics };
    },
    describe: () => descriptions,
    close() {
      for (const listener of listeners) listener.close?.();
    },
  };
}

type AnyHandler = (event: PublishedEvent) => void;

function handlersByType(listeners: readonly FamilyListener[]): ReadonlyMap<EventType, readonly AnyHandler[]> {
  const byType = new Map<EventType, AnyHandler[]>();
  for (const listener of listeners) {
    for (const [type, handler] of Object.entries(listener.on ?? {})) {
      const list = byType.get(type as EventType) ?? [];
      // The map's key is the handler's own event type, so the handler is given only events that it takes.
      list.push(handler as AnyHandler);
      byType.set(type as EventType, list);
    }
  }
  return byType;
}

/** Must run before the first render: prom-client strips `_total` from the names of counters then. */
function describe(registry: FamilyContext["registry"]): MetricDescription[] {
  return registry.getMetricsAsArray().map((metric) => {
    const { name, help, type, labelNames } = metric as unknown as MetricDescription & { labelNames: string[] };
    return { name, type, labels: [...labelNames], help };
  });
}
