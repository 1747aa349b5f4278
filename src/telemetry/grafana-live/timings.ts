import type { WebSocketTimings } from "./websocket-push.ts";

/** Times that nobody needs to configure; tests shorten them. */
export interface GrafanaLiveTimings extends WebSocketTimings {
  /** Time between two readings of the open sessions, ms. */
  readonly windowMs: number;
  /** Wait after a first failure, ms; it doubles up to `longestBackoffMs`. */
  readonly firstBackoffMs: number;
  readonly longestBackoffMs: number;
  /** Wait after credentials were not accepted, ms; it doubles up to `longestRefusedMs`. */
  readonly firstRefusedMs: number;
  readonly longestRefusedMs: number;
  /** Time for which HTTP is used after the WebSocket was refused, ms. */
  readonly httpForMs: number;
  /** Longest time that a stop waits for what is left to be pushed, ms. */
  readonly drainMs: number;
}

export const TIMINGS: GrafanaLiveTimings = {
  connectMs: 5_000,
  answerMs: 10_000,
  // Below the idle timeout of proxies, and below Grafana's own pings of 25 s.
  heartbeatMs: 20_000,
  windowMs: 5_000,
  firstBackoffMs: 500,
  longestBackoffMs: 30_000,
  // Grafana locks a user for five minutes after five wrong passwords within five minutes.
  firstRefusedMs: 75_000,
  longestRefusedMs: 600_000,
  httpForMs: 600_000,
  drainMs: 2_000,
};
