import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { ContextdError } from "../../src/model/errors.ts";
import type { PublishedEvent } from "../../src/model/events.ts";
import { silentLog } from "../../src/model/log.ts";
import type { ZoneThresholds } from "../../src/model/zone.ts";
import { type RpcMethod, rpcMethod } from "../../src/rpc/method.ts";
import { EventStream, readEventQuery } from "../../src/telemetry/event-stream/index.ts";
import { published } from "./published-event.ts";
import { type Settings, startTestServer, type TestServer } from "./test-server.ts";

const THRESHOLDS: ZoneThresholds = { yellow: 0.5, orange: 0.75, red: 0.9 };
const NAMES = ["webhook-retry", "index-bloat", "refund-batch", "pdf-render", "sso-rollout", "login-loop", "audit-gap"];
const AGENTS = ["code-fix", "support-us", "docs-writer", "etl-migrate", "triage", "pr-review", "research"];

export interface ListedSession {
  session_id: string;
  agent: string;
  profile: string;
  model: string;
  turn: number;
  window_id: string;
  window_number: number;
  zone: "green" | "yellow" | "orange" | "red";
  status: string;
  tokens: number;
  max_tokens: number;
  utilization: number;
  velocity_tokens_per_turn: number | null;
  turns_until_red: number | null;
  turns_until_red_p90: number | null;
  thresholds: ZoneThresholds;
  recent_tokens: number[];
  last_edit: { turn: number; tokens_freed: number; strategy: string } | null;
  last_seen: number;
}

/** A session at a utilization: the rest follows from it, or is the same each time for the same number. */
export function listed(number: number, utilization: number, over: Partial<ListedSession> = {}): ListedSession {
  const max = [128_000, 200_000, 32_000][number % 3] as number;
  const velocity = utilization < 0.1 ? null : 400 + ((number * 977) % 6_000);
  const until = velocity === null ? null : Math.max(0, (THRESHOLDS.red - utilization) * max) / velocity;
  const zone = utilization >= 0.9 ? "red" : utilization >= 0.75 ? "orange" : utilization >= 0.5 ? "yellow" : "green";
  const turn = 5 + (number % 120);
  const tokens = Math.round(utilization * max);
  return {
    session_id: `${NAMES[number % NAMES.length]}-${((number * 2_654_435_761) % 65_536).toString(16).padStart(4, "0")}`,
    agent: AGENTS[number % AGENTS.length] as string,
    profile: "default-128k",
    model: "gpt-4o",
    turn,
    window_id: "w1",
    window_number: 1 + (number % 3),
    zone,
    status: "healthy",
    tokens,
    max_tokens: max,
    utilization,
    velocity_tokens_per_turn: velocity,
    turns_until_red: until,
    turns_until_red_p90: until === null ? null : until * 0.7,
    thresholds: THRESHOLDS,
    recent_tokens: Array.from({ length: 20 }, (_, i) =>
      Math.round(tokens * (0.4 + 0.6 * (((i * ((number % 5) + 1)) % 20) / 20))),
    ),
    last_edit:
      number % 4 === 0 ? null : { turn: turn - (number % 5), tokens_freed: 2_000 + number * 311, strategy: "hybrid" },
    last_seen: Date.now() - (number % 90) * 1_000,
    ...over,
  };
}

/** The daemon as the page sees it: the real server and stream, and a list that a test sets. */
export class PageDaemon {
  sessions: ListedSession[] = [];
  alerts: unknown[] = [];
  /** Put over what `status.report` answers. */
  figures: Record<string, unknown> = {};
  /** Thrown by every call while it is set. */
  failure: ContextdError | null = null;
  stream!: EventStream;
  server!: TestServer;
  sequence = 1_204_000;
  #port = 0;

  async start(settings: Settings = {}): Promise<this> {
    this.stream = new EventStream(
      { instance: "t", ring: 1_000, heartbeatMs: 20_000, subscriberBufferBytes: 1 << 20, lastSequence: this.sequence },
      { clock: { now: () => Date.now(), monotonic: () => performance.now() }, log: silentLog },
    );
    this.server = await startTestServer({
      port: this.#port,
      pageDirectory: fileURLToPath(new URL("../../src/ui/static", import.meta.url)),
      methods: this.#methods(),
      ...settings,
    });
    this.#port = this.server.port;
    this.server.registerUpgrade("/events", {
      access: { scope: "agent", mutates: false },
      open: ({ principal, query }) => {
        const subscription = { ...readEventQuery(query), tenant: principal.tenant };
        return (socket) => {
          this.stream.attach(socket, subscription);
          return undefined;
        };
      },
    });
    return this;
  }

  publish(events: readonly PublishedEvent[]): void {
    this.stream.observe(events.map((event) => ({ ...event, sequence: ++this.sequence, at: Date.now() })));
  }

  /** A session's context moved to a utilization: the reading, and the zone where it changed. */
  move(session: ListedSession, utilization: number): void {
    const next = listed(0, utilization, { session_id: session.session_id });
    const { zone, turns_until_red, turns_until_red_p90 } = next;
    const tokens = Math.round(utilization * session.max_tokens);
    const turn = session.turn + 1;
    const reading = { tokens, max_tokens: session.max_tokens, utilization, zone, turns_until_red, turns_until_red_p90 };
    const over = { session: session.session_id };
    this.publish([
      published("turn.started", { turn }, over),
      published(
        "pressure.measured",
        {
          ...reading,
          velocity_tokens_per_turn: 3_000,
          source: "estimated",
          window_guessed: false,
          growth_tokens: 3_000,
          turn,
          moment: "turn",
        },
        over,
      ),
    ]);
    if (zone !== session.zone) {
      const change = { from: session.zone, to: zone, utilization, tokens, velocity: 3_000, turns_until_red };
      this.publish([published("zone.changed", { ...change, cause: "growth" }, over)]);
    }
    Object.assign(session, { turn, tokens, utilization, zone, turns_until_red, turns_until_red_p90 });
  }

  async stop(): Promise<void> {
    this.stream.close();
    await this.server.close();
  }

  #methods(): RpcMethod[] {
    const check = (): void => {
      if (this.failure !== null) throw this.failure;
    };
    return [
      rpcMethod({
        name: "session.list",
        summary: "The sessions of the test.",
        scope: "agent",
        mutates: false,
        params: z.strictObject({
          limit: z.number(),
          sort: z.string(),
          fields: z.array(z.string()),
          cursor: z.string().optional(),
        }),
        result: z.any(),
        call: async (_context, { limit, cursor }) => {
          check();
          const from = Number(cursor ?? 0);
          const end = from + limit;
          const next = end < this.sessions.length ? String(end) : null;
          return { total: this.sessions.length, sessions: this.sessions.slice(from, end), next_cursor: next };
        },
      }),
      rpcMethod({
        name: "status.report",
        summary: "The figures of the test.",
        scope: "agent",
        mutates: false,
        params: z.strictObject({}),
        result: z.any(),
        call: async () => {
          check();
          return {
            version: "0.1.0",
            uptime_seconds: 4_210,
            sessions: { open: this.sessions.length, by_zone: {} },
            hooks: { total: 662_000, per_second: 184, errors: 0, p99_ms: 3.14 },
            tokens_freed_total: 4_210_000,
            overflows_total: 2,
            overflows_last_hour: 0,
            alerts: this.alerts,
            events: { last_sequence: this.sequence },
            ...this.figures,
          };
        },
      }),
    ];
  }
}
