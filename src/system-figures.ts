import { type ConfigHolder, maskSecrets, writeYaml } from "./config/index.ts";
import type { HelpingModels } from "./helping-models.ts";
import type { ContextManager } from "./manager/manager.ts";
import type { Clock } from "./model/clock.ts";
import { type Observer, type PublishedEvent, SEVERITIES } from "./model/events.ts";
import type { LlmCall } from "./model/llm-call.ts";
import type { CallFigures } from "./rpc/call-figures.ts";
import type { SystemReport } from "./rpc/methods/system-report.ts";
import type { Principal } from "./rpc/scope.ts";
import type { Journal } from "./store/index.ts";
import type { AlertInbox } from "./telemetry/alert-inbox/alert-inbox.ts";
import type { EventStream } from "./telemetry/event-stream/index.ts";
import type { GrafanaLive } from "./telemetry/grafana-live/grafana-live.ts";
import { LlmTally } from "./telemetry/llm-tally.ts";
import type { Otlp } from "./telemetry/otlp/index.ts";
import { ProcessWatch } from "./telemetry/process-watch.ts";
import type { AlertSinks } from "./telemetry/sinks/alert-sinks.ts";
import type { Totals } from "./telemetry/totals.ts";

/** Alerts listed: those that fire, the most severe first, and those that Alertmanager sent, the newest first. */
const FIRING_LISTED = 200;
const INBOX_LISTED = 50;

export interface SystemDependencies {
  readonly version: string;
  readonly clock: Clock;
  readonly manager: ContextManager;
  readonly journal: Journal;
  readonly models: Pick<HelpingModels, "breakers" | "summarizer" | "judge">;
  readonly calls: CallFigures;
  readonly totals: Totals;
  readonly stream: EventStream;
  readonly live: GrafanaLive | null;
  readonly otlp: Otlp | null;
  readonly alertSinks: AlertSinks;
  readonly inbox: AlertInbox;
  readonly holder: ConfigHolder;
  readonly configPath: string | null;
}

/**
 * Joins what the parts of the daemon know of themselves into one report. It keeps little of its own: when it was last
 * scraped and reloaded, what the helping models did, and an hour of the process.
 */
export class SystemFigures implements Observer {
  readonly name = "system figures";
  readonly #deps: SystemDependencies;
  readonly #llm = new LlmTally();
  readonly #watch: ProcessWatch<number | null>;
  readonly #startedAt: number;
  readonly #started: number;
  #scrapes = 0;
  #scrapedAt: number | null = null;
  #reload: SystemReport["config"]["reload"] = null;

  constructor(dependencies: SystemDependencies) {
    this.#deps = dependencies;
    this.#startedAt = dependencies.clock.now();
    this.#started = dependencies.clock.monotonic();
    this.#watch = new ProcessWatch(dependencies.clock, () => commitP99Ms(dependencies.journal));
  }

  observe(events: readonly PublishedEvent[]): void {
    for (const { type, at, data } of events) if (type === "config.reloaded") this.#reload = { at, ...data };
  }

  observeLlmCall(call: LlmCall): void {
    this.#llm.observe(call);
  }

  /** Prometheus has asked. */
  scraped(): void {
    this.#scrapes++;
    this.#scrapedAt = this.#deps.clock.now();
  }

  close(): void {
    this.#watch.close();
  }

  /** What the caller may see: calls, counts and alerts of its own tenant; alerts of all for admin. */
  read(principal: Principal): SystemReport {
    const { clock } = this.#deps;
    return {
      at: clock.now(),
      hooks: this.#hooks(principal.tenant),
      journal: journalOf(this.#deps.journal),
      process: this.#process(),
      models: this.#models(),
      estimator: this.#estimator(principal.tenant),
      outputs: this.#outputs(),
      alerts: this.#alerts(principal.scopes.has("admin") ? null : principal.tenant),
      config: this.#config(),
    };
  }

  #hooks(tenant: string): SystemReport["hooks"] {
    return this.#deps.calls.methods(tenant).map(({ method, total, errors, perSecond, p50Ms, p99Ms }) => ({
      method,
      count: total,
      errors,
      per_second: perSecond,
      p50_ms: p50Ms,
      p99_ms: p99Ms,
    }));
  }

  #process(): SystemReport["process"] {
    const { version, clock, manager } = this.#deps;
    const readings = this.#watch.read();
    const now = readings.at(-1);
    return {
      version,
      node: process.version,
      pid: process.pid,
      started_at: this.#startedAt,
      uptime_seconds: (clock.monotonic() - this.#started) / 1000,
      loop_p99_ms: Math.max(...readings.slice(-2).map(({ loopP99Ms }) => loopP99Ms)),
      rss_bytes: now?.rssBytes ?? 0,
      sessions_in_memory: [...manager.summaries()].length,
      history: {
        at: readings.map((reading) => reading.at),
        loop_p99_ms: readings.map((reading) => reading.loopP99Ms),
        rss_bytes: readings.map((reading) => reading.rssBytes),
        append_p99_ms: readings.map((reading) => reading.beside),
      },
    };
  }

  /** The models that are configured, whether they were called or not. */
  #models(): SystemReport["models"] {
    const { models } = this.#deps;
    const figures = this.#llm.read();
    const [own, ...others] = models.breakers();
    const clients = [
      { role: "summarizer" as const, client: models.summarizer, breaker: models.summarizer && own },
      { role: "judge" as const, client: models.judge, breaker: models.summarizer ? others[0] : own },
    ];
    return clients.flatMap(({ role, client, breaker }) => {
      if (client === null) return [];
      const { provider, model } = client.breaker();
      const known = figures.find((each) => each.role === role && each.provider === provider && each.model === model);
      return {
        role,
        provider,
        model,
        breaker: breaker?.state ?? null,
        calls: known?.calls ?? 0,
        failures: { ...known?.failures },
        mean_seconds: known?.meanSeconds ?? null,
        input_tokens: known?.inputTokens ?? 0,
        output_tokens: known?.outputTokens ?? 0,
        usd: known?.usd ?? null,
      };
    });
  }

  #estimator(tenant: string): SystemReport["estimator"] {
    const { totals, manager } = this.#deps;
    return totals.modelErrors(tenant).map(({ model, mean, last, n }) => ({
      model,
      factor: manager.calibration(tenant, model),
      error: mean,
      last_error: last,
      n,
    }));
  }

  #outputs(): SystemReport["outputs"] {
    const { live, alertSinks, otlp, stream } = this.#deps;
    const { clients, dropped, evicted, resyncs } = stream.stats();
    return {
      prometheus: { scrapes: this.#scrapes, last_scrape_at: this.#scrapedAt },
      grafana_live: live && liveOf(live),
      alert_sinks: alertSinks.figures().map(({ sink, queued, outcomes, drops }) => ({
        sink,
        waiting: queued,
        outcomes: { ...outcomes },
        drops: { ...drops },
      })),
      otlp: otlp && { ...otlp.outcomes() },
      events: { clients, dropped, evicted, resyncs },
    };
  }

  /** `tenant` null: of all. */
  #alerts(tenant: string | null): SystemReport["alerts"] {
    const { manager, alertSinks, inbox } = this.#deps;
    const firing = [...manager.summaries(tenant ?? undefined)].flatMap(({ key, summary }) =>
      summary.alerts.map((alert) => ({ ...alert, tenant: key.tenant, session_id: key.id })),
    );
    firing.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
    return {
      firing_total: firing.length,
      firing: firing.slice(0, FIRING_LISTED).map((alert) => ({
        alert: alert.alert,
        severity: alert.severity,
        tenant: alert.tenant,
        session_id: alert.session_id,
        summary: alert.summary,
        since_turn: alert.since_turn,
        deliveries: alertSinks.deliveriesOf({ ...alert, session: alert.session_id }).map((each) => ({ ...each })),
      })),
      inbox: inbox
        .list(tenant)
        .slice(0, INBOX_LISTED)
        .map(({ labels, status, receiver, receivedAt }) => ({
          alert: labels["alertname"] ?? "",
          severity: labels["severity"] ?? "",
          status,
          receiver,
          received_at: receivedAt,
        })),
    };
  }

  #config(): SystemReport["config"] {
    const { holder, configPath } = this.#deps;
    const masked = maskSecrets(holder.current);
    return { path: configPath, in_force: masked, yaml: writeYaml(masked), reload: this.#reload };
  }
}

function liveOf(live: GrafanaLive): NonNullable<SystemReport["outputs"]["grafana_live"]> {
  const { connected, pushes, buffered, dropped } = live.stats();
  const counted = [...pushes].map(({ transport, outcome, count }) => [`${transport} ${outcome}`, count]);
  return { connected, pushes: Object.fromEntries(counted), waiting: buffered, dropped };
}

function journalOf(journal: Journal): SystemReport["journal"] {
  const stats = journal.stats();
  const commits = stats.recentCommits();
  const rows = commits.reduce((sum, commit) => sum + commit.rows, 0);
  return {
    store: journal.kind,
    durable: journal.kind !== "memory",
    settings: { ...stats.settings },
    appends: stats.appends,
    commits: stats.commits,
    append_p99_ms: commitP99Ms(journal),
    rows_per_commit: commits.length === 0 ? null : rows / commits.length,
    queued: stats.queued,
    errors: stats.errors,
    file_bytes: stats.fileBytes,
    wal_bytes: stats.walBytes,
    checkpoint_errors: stats.checkpointErrors,
  };
}

/** Of the last 512 commits, ms; null without any. */
function commitP99Ms(journal: Journal): number | null {
  const sorted = journal
    .stats()
    .recentCommits()
    .map(({ seconds }) => seconds * 1000)
    .sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? null;
}
