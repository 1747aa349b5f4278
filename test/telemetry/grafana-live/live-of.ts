import { systemClock } from "../../../src/model/clock.ts";
import { lookupAll } from "../../../src/outbound/index.ts";
import {
  GrafanaLive,
  type GrafanaLiveDependencies,
  type GrafanaLiveOptions,
} from "../../../src/telemetry/grafana-live/grafana-live.ts";
import { published } from "../../support/published-event.ts";
import { ADMIN_TOKEN } from "../../support/push-server.ts";
import { RecordingLog } from "../../support/recording-log.ts";

export interface Bench extends AsyncDisposable {
  readonly live: GrafanaLive;
  readonly log: RecordingLog;
  /** Files of secrets, by name. */
  readonly secrets: Map<string, string>;
  /** Zone changes of sessions of these numbers, as s<number>. */
  observe(from: number, to?: number): void;
  count(transport: string, outcome: string): number;
}

/** The pusher with waits in milliseconds, so that a test sees what takes minutes in earnest. */
export function liveOf(
  over: Partial<GrafanaLiveOptions> & Pick<GrafanaLiveOptions, "url">,
  dependencies: Partial<GrafanaLiveDependencies> = {},
): Bench {
  const log = new RecordingLog();
  const secrets = new Map([["token", ADMIN_TOKEN]]);
  const live = new GrafanaLive(
    {
      stream: "contextd",
      token_file: "token",
      username: null,
      password_file: null,
      buffer: 1_000,
      flushMs: 5,
      measurements: ["zone_event", "eviction_event"],
      ...over,
      timings: {
        connectMs: 2_000,
        answerMs: 2_000,
        firstBackoffMs: 5,
        longestBackoffMs: 20,
        firstRefusedMs: 60_000,
        ...over.timings,
      },
    },
    {
      clock: systemClock,
      log,
      lookup: lookupAll,
      sessions: () => [],
      readSecret: (file) => {
        const secret = secrets.get(file);
        if (secret === undefined) throw new Error("no such file");
        return secret;
      },
      ...dependencies,
    },
  );
  return {
    live,
    log,
    secrets,
    observe(from, to = from) {
      const events = Array.from({ length: to - from + 1 }, (_, n) =>
        published("zone.changed", ZONE_CHANGED, { session: `s${from + n}`, sequence: from + n }),
      );
      live.observe(events);
    },
    count: (transport, outcome) =>
      [...live.stats().pushes].find((each) => each.transport === transport && each.outcome === outcome)?.count ?? 0,
    [Symbol.asyncDispose]: () => live.close(),
  };
}

export const ZONE_CHANGED = {
  from: "green",
  to: "yellow",
  utilization: 0.52,
  tokens: 66_560,
  velocity: 4_000,
  turns_until_red: 9,
  cause: "growth",
} as const;

/** Sessions of pushed lines, in order. */
export const sessionsOf = (lines: readonly string[]) => lines.map((line) => /session_id="(.*?)"/.exec(line)?.[1]);

export const sessions = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `s${from + n}`);
