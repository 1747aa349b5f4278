import { COMPONENTS, type Component } from "../../../src/model/block.ts";
import type { LlmBreakerReading } from "../../../src/model/llm-call.ts";
import type { MetricsDependencies } from "../../../src/telemetry/metrics/family.ts";
import { createMetrics, type Metrics, type SessionView } from "../../../src/telemetry/metrics/index.ts";

function perComponent(tokens: number): Record<Component, number> {
  return Object.fromEntries(COMPONENTS.map((name) => [name, tokens])) as Record<Component, number>;
}

export function sessionView(over: Partial<SessionView> = {}): SessionView {
  return {
    tenant: "default",
    id: "s1",
    profile: "default-128k",
    model: "gpt-4o",
    zone: "yellow",
    status: "preparing",
    tokens: 64_000,
    maxTokens: 128_000,
    utilization: 0.5,
    componentTokens: { ...perComponent(1_000), tool_results: 32_000 },
    componentLimits: perComponent(10_000),
    floorTokens: 32_000,
    alerts: [],
    lastSeenAt: 0,
    ...over,
  };
}

export interface Bench {
  readonly metrics: Metrics;
  sessions: SessionView[];
  commits: { rows: number; seconds: number }[];
  shadow: ReturnType<MetricsDependencies["shadow"]>;
  llmBreakers: LlmBreakerReading[];
  /** By tenant and model, as `tenant/model`. */
  factors: Record<string, number>;
  /** Sample lines of one metric, exemplars included. */
  lines(name: string): Promise<string[]>;
  /** Value of the sample with exactly this text before it. */
  value(sample: string): Promise<number>;
}

/** Metrics of a daemon with nothing in it; the test puts sessions and commits in. */
export function bench(options: { topSessions?: number } = {}): Bench {
  const state: Pick<Bench, "sessions" | "commits" | "shadow" | "llmBreakers" | "factors"> = {
    sessions: [],
    commits: [],
    shadow: { watched: 0, ended: {}, policies: [] },
    llmBreakers: [],
    factors: {},
  };
  const metrics = createMetrics(
    {
      topSessions: options.topSessions ?? 20,
      buildInfo: { version: "0.1.0", revision: "abc" },
      store: "memory",
    },
    {
      sessions: () => state.sessions,
      session: (tenant, id) => state.sessions.find((s) => s.tenant === tenant && s.id === id) ?? null,
      tokenizerOf: () => "o200k_base",
      calibrationOf: (tenant, model) => state.factors[`${tenant}/${model}`] ?? 1,
      journalStats: () => ({
        queued: 3,
        errors: 2,
        fileBytes: 4_096,
        walBytes: 512,
        drainCommits: () => state.commits.splice(0),
        recentCommits: () => state.commits,
        settings: {},
      }),
      shadow: () => state.shadow,
      alertDeliveries: () => [
        {
          sink: "oncall",
          queued: 3,
          outcomes: { ok: 5, refused: 1, retried: 2, given_up: 0 },
          drops: { superseded: 4, overflow: 0 },
        },
      ],
      otlpSpans: () => ({ sent: 7, rejected: 1, given_up: 2, dropped: 3 }),
      llmBreakers: () => state.llmBreakers,
      livePush: () => ({
        pushes: [{ transport: "websocket", outcome: "ok", count: 7 }],
        dropped: 8,
        connected: "websocket",
      }),
      streamStats: () => ({ clients: 4, dropped: 5, evicted: 6 }),
      clock: { now: () => 1_000_000, monotonic: () => 0 },
    },
  );
  const render = async () => (await metrics.render(undefined)).body.split("\n");
  return Object.assign(state, {
    metrics,
    lines: async (name: string) =>
      (await render()).filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `)),
    value: async (sample: string) => {
      const line = (await render()).find((candidate) => candidate.startsWith(`${sample} `));
      return line === undefined ? Number.NaN : Number(line.slice(sample.length + 1).split(" ")[0]);
    },
  });
}
