import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { alertRecordFile } from "./alert-record-file.ts";
import { assembleManager } from "./assembly.ts";
import { Closers, startOrRollBack } from "./closers.ts";
import { type Config, type ConfigHolder, type Plugins, readSecretFile, readYaml } from "./config/index.ts";
import type { Faults } from "./faults.ts";
import { openHelpingModels } from "./helping-models.ts";
import { Lab } from "./lab/index.ts";
import type { Logger } from "./log.ts";
import type { ContextManager } from "./manager/manager.ts";
import { Publisher } from "./manager/publisher.ts";
import { systemClock } from "./model/clock.ts";
import type { Observer } from "./model/events.ts";
import type { JsonObject } from "./model/json.ts";
import type { LlmCall } from "./model/llm-call.ts";
import { openNeedModel } from "./need-models.ts";
import { openCopies } from "./open-copies.ts";
import { prune } from "./pruning.ts";
import { CallFigures } from "./rpc/call-figures.ts";
import { Dispatcher } from "./rpc/dispatcher.ts";
import { methodsOf, serviceInfo } from "./rpc/methods/index.ts";
import { openRpcDocument } from "./rpc/openrpc.ts";
import { historyOf } from "./rpc/status-history.ts";
import { alertRoutes } from "./server/alert-routes.ts";
import { Authenticator } from "./server/auth.ts";
import { Admission } from "./server/limits.ts";
import { documentRoute, metricsRoute } from "./server/routes.ts";
import { runbookRoutes } from "./server/runbook-routes.ts";
import { startServer } from "./server/server.ts";
import { readTokensFile } from "./server/tokens.ts";
import { firingAlerts, summariesOf, viewOf, viewsOf } from "./session-views.ts";
import { Shadow } from "./shadow/index.ts";
import { openJournal } from "./store/index.ts";
import { SystemFigures } from "./system-figures.ts";
import { AlertInbox } from "./telemetry/alert-inbox/alert-inbox.ts";
import { asyncApiDocument } from "./telemetry/async-api/document.ts";
import { EventStream, readEventQuery } from "./telemetry/event-stream/index.ts";
import { openGrafanaLive } from "./telemetry/grafana-live/index.ts";
import { createMetrics } from "./telemetry/metrics/index.ts";
import { openOtlp } from "./telemetry/otlp/index.ts";
import { openAlertSinks } from "./telemetry/sinks/index.ts";
import { Totals } from "./telemetry/totals.ts";
import { ModelCatalogue, TokenCounter } from "./tokens/index.ts";

export interface DaemonOptions {
  readonly config: Config;
  readonly configPath: string | null;
  /** Over `store.path`. */
  readonly dataDir?: string;
  readonly log: Logger;
  readonly holder: ConfigHolder;
  readonly plugins: Plugins;
  /** Ordered by a fault test; null otherwise. */
  readonly faults?: Faults | null;
}

export interface Daemon {
  /** Where it listens, as `http://127.0.0.1:7420`. */
  readonly url: string;
  /** Drains calls in flight, then closes everything. Safe to call again. */
  stop(reason: string): Promise<void>;
  /** Reads the config again; a bad one changes nothing and is told. */
  reload(): Promise<void>;
}

/** Time that one part of the daemon has to close, ms, beside the server's own time to drain. */
const CLOSE_MS = 5_000;
/** Time between two rounds of pruning, ms. */
const PRUNE_EVERY_MS = 3_600_000;
/** Alerts of Alertmanager's that are kept in memory. */
const INBOX_ALERTS = 200;
/** Share of the calls in flight that one tenant may have. */
const TENANT_SHARE = 0.5;

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/**
 * The composition root: deliberately one straight line in the order of dependency. What is opened is registered
 * for closing at once; a start that fails half way closes what it had opened.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, holder, log, plugins } = options;
  const closers = new Closers({ timeoutMs: CLOSE_MS });
  return startOrRollBack(closers, async () => {
    const clock = systemClock;
    const started = clock.monotonic();
    const { server: serverOptions, store, telemetry } = config;
    const { ordered, ...faults } = options.faults ?? { ordered: null };
    if (ordered !== null) log.warn({ ordered }, "FAULTS ARE INJECTED: this daemon loses data on purpose");

    const tokens = serverOptions.auth.tokens_file;
    const readTokens = async () =>
      tokens === null ? null : readTokensFile(tokens, { parse: (text) => readYaml(text).value, log });
    const authenticator = new Authenticator(await readTokens());

    const journal = await closers.acquire(
      "journal",
      () =>
        openJournal(
          {
            kind: store.kind,
            path: resolve(options.dataDir ?? store.path),
            url: store.url,
            queue: store.queue,
            ...faults,
          },
          { clock, log },
        ),
      (opened) => opened.close(),
    );
    if (store.retain_closed_hours > 0) {
      const timer = setInterval(() => prune(journal, store.retain_closed_hours, clock, log), PRUNE_EVERY_MS);
      closers.add("pruning", () => clearInterval(timer));
    }
    const counter = await closers.acquire(
      "token counter",
      () => new TokenCounter({ tokenizer: config.tokenizer }),
      (opened) => opened.close(),
    );
    const needModel = openNeedModel(config);
    const catalogue = follow(holder, (current) => new ModelCatalogue(current.models));
    const llmObservers: ((call: LlmCall) => void)[] = [];
    const observe = (call: LlmCall) => {
      for (const told of llmObservers) told(call);
    };
    const models = await closers.acquire(
      "llm",
      () => openHelpingModels(config, { catalogue, clock, log, observe }),
      (opened) => opened.close(),
    );
    const { summaries } = models;
    if (summaries) closers.add("summaries", () => summaries.stop());

    const lastRow = await journal.lastSeq();
    const observers: Observer[] = [];
    const publisher = new Publisher(
      { lastRow },
      { observers, onFault: (observer, error) => log.error({ observer, err: error }, "an observer failed on events") },
    );
    const current = () => holder.current;
    const shadow = await closers.acquire(
      "shadow",
      () => new Shadow({ config: current, catalogue, plugins, counter, needModel, journal, clock, log }),
      (opened) => opened.stop(),
    );
    const manager = await closers.acquire(
      "manager",
      () =>
        assembleManager({
          config: current,
          catalogue,
          plugins,
          journal: shadow.journal,
          publisher,
          counter,
          clock,
          needModel,
          ...(summaries === null ? {} : { summaries }),
          judge: () => models.judge,
        }),
      (opened) => opened.stop(),
    );
    await manager.start();
    const lab = await closers.acquire(
      "lab",
      () => new Lab({ config: current, plugins, manager, journal, clock, log }),
      (opened) => opened.stop(),
    );

    const instance = randomUUID().slice(0, 8);
    const stream = await closers.acquire(
      "event stream",
      () =>
        new EventStream(
          {
            instance,
            ring: telemetry.events.ring,
            heartbeatMs: telemetry.events.heartbeat_ms,
            subscriberBufferBytes: serverOptions.limits.subscriber_buffer_bytes,
            lastSequence: publisher.lastSequence,
          },
          { clock, log },
        ),
      (opened) => opened.close(),
    );
    const live = await closers.acquire(
      "grafana live",
      () =>
        openGrafanaLive(telemetry.grafana_live, {
          clock,
          log,
          readSecret: readSecretFile,
          sessions: () => summariesOf(manager.summaries()),
        }),
      (opened) => opened?.close(),
    );
    const alertSinks = await closers.acquire(
      "alert sinks",
      () =>
        openAlertSinks(telemetry, {
          clock,
          log,
          readSecretFile,
          plugged: plugins.sinks,
          record: alertRecordFile(store.kind, resolve(options.dataDir ?? store.path)),
        }),
      (opened) => opened.close(),
    );
    await alertSinks.start(firingAlerts(manager.summaries()));
    const otlp = await closers.acquire(
      "traces",
      () => openOtlp(telemetry.otlp, { clock, log, readSecretFile, service: { version, instance } }),
      (opened) => opened?.close() ?? Promise.resolve(),
    );
    const inbox = new AlertInbox(INBOX_ALERTS, { clock });
    const metrics = await closers.acquire(
      "metrics",
      () =>
        createMetrics(
          {
            topSessions: telemetry.metrics.top_sessions,
            buildInfo: { version, revision: "unknown" },
            store: journal.kind,
          },
          {
            sessions: () => viewsOf(manager.summaries()),
            session: (tenant, id) => {
              const summary = manager.summary({ tenant, id });
              return summary && viewOf({ tenant, id }, summary);
            },
            calibrationOf: (tenant, model) => manager.calibration(tenant, model),
            tokenizerOf: (model) => catalogue().find(model).encoding,
            journalStats: () => journal.stats(),
            streamStats: () => stream.stats(),
            livePush: () => live?.stats() ?? { pushes: [], dropped: 0, connected: null },
            shadow: () => shadow.figures(),
            alertDeliveries: () => alertSinks.figures(),
            otlpSpans: () => otlp?.outcomes() ?? {},
            llmBreakers: () => models.breakers(),
            clock,
          },
        ),
      (opened) => opened.close(),
    );
    const copies = await closers.acquire(
      "copies",
      () => openCopies(current, manager, log),
      (opened) => opened.close(),
    );
    const totals = new Totals(clock);
    llmObservers.push((call) => metrics.observeLlmCall(call));
    observers.push(totals, metrics.observer, stream, copies, alertSinks);
    if (live !== null) observers.push(live);
    if (otlp !== null) observers.push(otlp.observer);

    const figures = new CallFigures(clock);
    const system = await closers.acquire(
      "system figures",
      () =>
        new SystemFigures({
          version,
          clock,
          manager,
          journal,
          models,
          calls: figures,
          totals,
          stream,
          live,
          otlp,
          alertSinks,
          inbox,
          holder,
          configPath: options.configPath,
        }),
      (opened) => opened.close(),
    );
    llmObservers.push((call) => system.observeLlmCall(call));
    observers.push(system);
    const methods = methodsOf(
      manager,
      { shadow, lab },
      {
        version,
        uptimeSeconds: () => (clock.monotonic() - started) / 1000,
        hooks: (tenant) => figures.hooks(tenant),
        lastSequence: () => publisher.lastSequence,
        totals: (tenant) => totals.read(tenant),
        system: (principal) => system.read(principal),
        history: (tenant) => historyOf(clock, figures.history(tenant), totals.history(tenant)),
      },
    );
    const { limits } = serverOptions;
    const admission = new Admission({
      inFlight: limits.hooks_in_flight,
      perTenant: authenticator.required ? Math.ceil(limits.hooks_in_flight * TENANT_SHARE) : limits.hooks_in_flight,
    });
    const dispatcher = new Dispatcher(
      { maxBatch: limits.batch, maxDepth: limits.json_depth, callTimeoutMs: limits.request_timeout_ms },
      {
        methods,
        log,
        clock,
        admit: (_method, context) => admission.enter(context.principal.tenant),
        observe: (call) => {
          figures.record(call);
          if (call.transport === "inprocess") return;
          metrics.observeHook({ ...call, transport: call.transport });
          otlp?.observeCall(call);
        },
      },
    );
    const server = await closers.acquire(
      "server",
      () =>
        startServer(serverOptions, {
          dispatcher,
          authenticator,
          admission,
          routes: [
            metricsRoute((accept) => {
              system.scraped();
              return metrics.render(accept);
            }),
            ...alertRoutes(inbox),
            ...runbookRoutes(fileURLToPath(new URL("../docs/runbooks", import.meta.url))),
            documentRoute("/openrpc.json", "The OpenRPC document.", () =>
              openRpcDocument(methods, serviceInfo(version)),
            ),
            documentRoute("/asyncapi.json", "The AsyncAPI document of the event stream.", () =>
              asyncApiDocument(serviceInfo(version)),
            ),
          ],
          pageDirectory: fileURLToPath(new URL("./ui/static", import.meta.url)),
          log,
          ready: () => ({ ready: true, reasons: [] }),
          health: async () => health(version, clock.monotonic() - started, manager, journal.stats()),
        }),
      (opened) => opened.close(),
      serverOptions.drain_timeout_ms + CLOSE_MS,
    );
    server.registerUpgrade("/events", {
      access: { scope: "agent", mutates: false },
      open({ principal, query }) {
        const tenant = principal.scopes.has("admin") ? null : principal.tenant;
        const subscription = { ...readEventQuery(query), tenant };
        return (socket) => {
          stream.attach(socket, subscription);
          return undefined;
        };
      },
    });
    log.info({ url: server.url, store: journal.kind, sessions: [...manager.summaries()].length }, "contextd is ready");

    return {
      url: server.url,
      async stop(reason) {
        log.info({ reason }, "contextd stops");
        await closers.close();
      },
      async reload() {
        const result = await holder.reload();
        let { successful, detail } = result;
        try {
          const entries = await readTokens();
          if (entries) authenticator.replace(entries);
        } catch (error) {
          successful = false;
          detail = `${detail}; the tokens stay as they were: ${(error as Error).message}`;
        }
        log[successful ? "info" : "error"]({ successful, changed: result.changed, restart: result.restart }, detail);
        publisher.publish(null, null, clock.now(), [{ type: "config.reloaded", data: { successful, detail } }], null);
      },
    };
  });
}
/** A value that follows the config in effect. */
function follow<T>(holder: ConfigHolder, make: (config: Config) => T): () => T {
  let value = make(holder.current);
  holder.onChange((config) => {
    value = make(config);
  });
  return () => value;
}

function health(
  daemonVersion: string,
  uptimeMs: number,
  manager: ContextManager,
  stats: { readonly queued: number; readonly errors: number; readonly fileBytes: number; readonly walBytes: number },
): JsonObject {
  return {
    version: daemonVersion,
    uptime_seconds: Math.round(uptimeMs / 1000),
    sessions: [...manager.summaries()].length,
    journal: { queued: stats.queued, errors: stats.errors, file_bytes: stats.fileBytes, wal_bytes: stats.walBytes },
  };
}
