import type { Strategy } from "../../model/strategy.ts";
import type { AlertSink, SinkOpener } from "./sink.ts";

/** Time for one delivery of a sink of the user's own, ms. */
const TIMEOUT_MS = 30_000;

/** Sinks that plug-ins bring: one notice at a time. */
export const plugged: SinkOpener = ({ alert_sinks }, { plugged: registry }) =>
  Object.entries(alert_sinks).flatMap(([name, { severities, options }]) => {
    const strategy = registry[name] as Strategy<AlertSink> | undefined;
    if (!strategy) return [];
    const sink = strategy.configure(options);
    return [
      {
        id: `plugin:${name}`,
        sink: name,
        severities,
        batch: 1,
        timeoutMs: TIMEOUT_MS,
        repeatMs: null,
        deliver: async (notices, signal) => sink.deliver(notices, signal),
      },
    ];
  });
