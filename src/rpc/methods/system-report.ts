import { z } from "zod";
import { SEVERITIES } from "../../model/events.ts";
import { type RpcMethod, rpcMethod } from "../method.ts";
import type { Principal } from "../scope.ts";

const counts = z.record(z.string(), z.number());
const at = z.number().describe("Milliseconds since the epoch.");

const hooks = z
  .array(
    z.object({
      method: z.string(),
      count: z.number(),
      errors: z.number(),
      per_second: z.number().describe("Over the last minute."),
      p50_ms: z.number().nullable(),
      p99_ms: z.number().nullable(),
    }),
  )
  .describe(
    "Calls of the caller's tenant by method, the most called first; times are null without a call in a minute.",
  );

const journal = z.object({
  store: z.enum(["sqlite", "postgres", "memory"]),
  durable: z.boolean().describe("Whether what was answered outlives the process."),
  settings: z.record(z.string(), z.string()).describe("By the store's own names, such as `synchronous`."),
  appends: z.number(),
  commits: z.number(),
  append_p99_ms: z.number().nullable().describe("Of the last 512 commits, fsync included; null without any."),
  rows_per_commit: z.number().nullable(),
  queued: z.number().describe("Rows that wait for a commit."),
  errors: z.number(),
  file_bytes: z.number(),
  wal_bytes: z.number(),
  checkpoint_errors: z.number(),
});

const process = z.object({
  version: z.string(),
  node: z.string(),
  pid: z.number(),
  started_at: at,
  uptime_seconds: z.number(),
  loop_p99_ms: z.number().describe("How late the event loop ran, over twenty seconds at most."),
  rss_bytes: z.number(),
  sessions_in_memory: z.number().describe("Open sessions of all tenants."),
  history: z
    .object({
      at: z.array(z.number()),
      loop_p99_ms: z.array(z.number()),
      rss_bytes: z.array(z.number()),
      append_p99_ms: z.array(z.number().nullable()),
    })
    .describe("The last hour in 120 readings at most, as far as the daemon is up so long; the last one is of now."),
});

const model = z.object({
  role: z.enum(["summarizer", "judge"]),
  provider: z.string(),
  model: z.string(),
  breaker: z.enum(["closed", "half_open", "open"]).nullable().describe("null: it shares the summarizer's."),
  calls: z.number(),
  failures: counts.describe("By reason."),
  mean_seconds: z.number().nullable(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  usd: z.number().nullable().describe("Of the calls whose price is known; null: of none."),
});

const estimator = z.object({
  model: z.string(),
  factor: z.number().describe("Learned: reported over estimated tokens; counts are taken times it."),
  error: z.number().describe("Mean of (estimated - reported) / reported, before the factor."),
  last_error: z.number(),
  n: z.number().describe("Prompts that a provider counted."),
});

const outputs = z.object({
  prometheus: z.object({ scrapes: z.number(), last_scrape_at: at.nullable() }),
  grafana_live: z
    .object({
      connected: z.string().nullable().describe("What carries pushes now; null: nothing does."),
      pushes: counts.describe("By transport and outcome."),
      waiting: z.number(),
      dropped: z.number(),
    })
    .nullable()
    .describe("null: not configured."),
  alert_sinks: z.array(z.object({ sink: z.string(), waiting: z.number(), outcomes: counts, drops: counts })),
  otlp: counts.nullable().describe("Spans by what became of them; null: not configured."),
  events: z.object({ clients: z.number(), dropped: z.number(), evicted: z.number(), resyncs: z.number() }),
});

const alerts = z.object({
  firing_total: z.number(),
  firing: z
    .array(
      z.object({
        alert: z.string(),
        severity: z.enum(SEVERITIES),
        tenant: z.string(),
        session_id: z.string(),
        summary: z.string(),
        since_turn: z.number(),
        deliveries: z
          .array(z.object({ sink: z.string(), state: z.enum(["waiting", "settled"]) }))
          .describe("By sink that wants it; settled: it was told, or it was given up."),
      }),
    )
    .describe("Of the caller's tenant, of all tenants for admin; the most severe first, at most 200."),
  inbox: z
    .array(
      z.object({
        alert: z.string(),
        severity: z.string(),
        status: z.enum(["firing", "resolved"]),
        receiver: z.string(),
        received_at: at,
      }),
    )
    .describe("What Alertmanager sent to /alerts/sink, the newest first, at most 50."),
});

const config = z.object({
  path: z.string().nullable().describe("The file; null: none was named."),
  in_force: z.unknown().describe("Defaults, file, environment and flags merged; a secret that is set is `<secret>`."),
  yaml: z.string().describe("The same as text, as `contextd print-config` has it."),
  reload: z
    .object({ at, successful: z.boolean(), detail: z.string() })
    .nullable()
    .describe("The last reload; null: none since the start."),
});

/** The daemon itself, for those who run it. Totals are since its start. */
const systemResult = z.object({
  at,
  hooks,
  journal,
  process,
  models: z.array(model),
  estimator: z.array(estimator),
  outputs,
  alerts,
  config,
});

export type SystemReport = z.input<typeof systemResult>;

export function systemReport(read: (principal: Principal) => SystemReport): RpcMethod {
  return rpcMethod({
    name: "system.report",
    summary:
      "The daemon itself in figures: calls by method, journal, process, helping models, outputs, alerts and their delivery, the config in force. Totals are since its start.",
    scope: "operator",
    mutates: false,
    params: z.strictObject({}),
    result: systemResult,
    call: async ({ principal }) => read(principal),
  });
}
