import type { Clock } from "../../model/clock.ts";
import type { Observer, PublishedEvent } from "../../model/events.ts";
import type { Log } from "../../model/log.ts";
import { authorization, type CredentialSettings } from "./credentials.ts";
import { checkedLookup, type Endpoint, pushUrl } from "./endpoint.ts";
import { pushOverHttp } from "./http-push.ts";
import { type Batch, LineBuffer } from "./line-buffer.ts";
import { lineOf, type Measurement } from "./measurements.ts";
import { asPushError, type Outcome, PushError, type Transport } from "./push-error.ts";
import { type GrafanaLiveTimings, TIMINGS } from "./timings.ts";
import { WebSocketPush } from "./websocket-push.ts";
import { type OpenSession, WindowLines } from "./window-lines.ts";

/** Rejections of one batch after which it is given up: Grafana does not tell lines it cannot read from faults of its own. */
const MOST_REJECTIONS = 3;

export interface GrafanaLiveOptions extends CredentialSettings {
  /** Grafana's address, path prefix included. */
  readonly url: string;
  readonly stream: string;
  /** Lines that wait at most. */
  readonly buffer: number;
  /** Time for which lines are gathered into one push, ms. */
  readonly flushMs: number;
  readonly measurements: readonly Measurement[];
  readonly timings?: Partial<GrafanaLiveTimings>;
}

export interface GrafanaLiveDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** All open sessions; read once for each line of `window`. */
  readonly sessions: () => Iterable<OpenSession>;
  /** Text of a file that holds a secret. Throws when it cannot be read. */
  readonly readSecret: (file: string) => string;
  readonly lookup: Parameters<typeof checkedLookup>[0];
  readonly random?: () => number;
}

interface GrafanaLiveStats {
  /** Pushes and failed connects since the start, by transport and outcome. */
  readonly pushes: Iterable<{ readonly transport: Transport; readonly outcome: Outcome; readonly count: number }>;
  /** Lines that were never pushed. */
  readonly dropped: number;
  /** Lines that wait. */
  readonly buffered: number;
  /** What carried the last push, while it still does; null: nothing does. */
  readonly connected: Transport | null;
}

/**
 * Pushes events to Grafana Live as they are committed. `observe` only turns events into lines of a bounded buffer; one loop
 * at a time pushes them in batches. It is *idle* until a line waits, then *gathers* for `flushMs`, then *pushes* batch by
 * batch until none waits. A failed batch goes back to its place and the loop *waits*: longer each time, and much longer
 * when the credentials are not accepted. A push goes over a WebSocket; where that is refused, over HTTP, with another try
 * of the WebSocket now and then. Delivery is at least once: what Grafana had read when a connection died comes twice, one
 * batch at most.
 */
export class GrafanaLive implements Observer {
  readonly name = "grafana-live";
  readonly #options: GrafanaLiveOptions;
  readonly #timings: GrafanaLiveTimings;
  readonly #dependencies: GrafanaLiveDependencies;
  readonly #random: () => number;
  readonly #wanted: ReadonlySet<Measurement>;
  readonly #buffer: LineBuffer;
  readonly #window = new WindowLines();
  readonly #reading: NodeJS.Timeout | null;
  readonly #stop = new AbortController();
  readonly #pushes = new Map<string, { transport: Transport; outcome: Outcome; count: number }>();
  /** Failures that the log has been told since the last success. */
  readonly #told = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #pushing: Promise<void> | null = null;
  #socket: WebSocketPush | null = null;
  #posting: AbortController | null = null;
  #httpUntil = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #connected: Transport | null = null;
  #closed = false;

  constructor(options: GrafanaLiveOptions, dependencies: GrafanaLiveDependencies) {
    this.#options = options;
    this.#timings = { ...TIMINGS, ...options.timings };
    this.#dependencies = dependencies;
    this.#random = dependencies.random ?? Math.random;
    this.#wanted = new Set(options.measurements);
    this.#buffer = new LineBuffer(options.buffer);
    this.#reading = this.#wanted.has("window")
      ? setInterval(() => this.#readWindow(), this.#timings.windowMs).unref()
      : null;
  }

  observe(events: readonly PublishedEvent[]): void {
    if (this.#closed) return;
    for (const event of events) {
      const line = lineOf(event, this.#wanted);
      if (line !== null) this.#buffer.push(line);
    }
    this.#wake();
  }

  stats(): GrafanaLiveStats {
    return {
      pushes: [...this.#pushes.values()],
      dropped: this.#buffer.dropped,
      buffered: this.#buffer.size,
      connected: this.#connected,
    };
  }

  /** Pushes what waits, if Grafana takes it within the time to drain, then ends the connection. The rest counts as dropped. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#reading !== null) clearInterval(this.#reading);
    if (this.#timer !== null) clearTimeout(this.#timer);
    const deadline = setTimeout(() => this.#giveUp(), this.#timings.drainMs);
    // While it fails, the next attempt would fail too: a stop does not wait for it.
    if (this.#failures === 0) this.#pushing ??= this.#pushAll();
    else this.#giveUp();
    await this.#pushing;
    clearTimeout(deadline);
    await this.#socket?.close(this.#timings.drainMs);
    this.#connected = null;
    this.#buffer.clear();
  }

  #readWindow(): void {
    const { sessions, clock } = this.#dependencies;
    for (const line of this.#window.read(sessions(), clock.now())) this.#buffer.push(line);
    this.#wake();
  }

  #giveUp(): void {
    this.#stop.abort();
    this.#posting?.abort();
    this.#socket?.terminate();
  }

  /** Starts to gather, unless a push is under way or waited for already. */
  #wake(): void {
    if (this.#timer === null && this.#pushing === null && this.#buffer.size > 0) this.#pushIn(this.#options.flushMs);
  }

  #pushIn(ms: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#pushing = this.#pushAll().finally(() => {
        this.#pushing = null;
        if (this.#timer === null && !this.#closed) this.#wake();
      });
    }, ms).unref();
  }

  /** Pushes until less than a whole batch waits; at a stop, until nothing does. Never rejects. */
  async #pushAll(): Promise<void> {
    for (let batch = this.#buffer.take(); batch !== null; batch = this.#buffer.take()) {
      const failure = await this.#push(batch);
      if (failure === null) {
        this.#succeeded();
        if (this.#closed || this.#buffer.holdsWholeBatch) continue;
        return;
      }
      batch.failures++;
      if (failure.outcome === "rejected" && batch.failures >= MOST_REJECTIONS) this.#buffer.giveUp(batch);
      else this.#buffer.giveBack(batch);
      this.#failures++;
      this.#connected = null;
      this.#pushIn(this.#waitAfter(failure));
      return;
    }
  }

  async #push(batch: Batch): Promise<PushError | null> {
    const body = `${batch.lines.join("\n")}\n`;
    if (this.#dependencies.clock.monotonic() >= this.#httpUntil) {
      const failure = await this.#attempt("websocket", () => this.#overWebSocket(body));
      if (failure?.outcome !== "refused") return failure;
      this.#httpUntil = this.#dependencies.clock.monotonic() + this.#timings.httpForMs;
    }
    return this.#attempt("http", () => this.#overHttp(body));
  }

  async #attempt(transport: Transport, push: () => Promise<void>): Promise<PushError | null> {
    try {
      await push();
      this.#count(transport, "ok");
      this.#connected = transport;
      return null;
    } catch (error) {
      const failure = asPushError(error);
      this.#count(transport, failure.outcome);
      this.#tell(transport, failure);
      return failure;
    }
  }

  async #overWebSocket(body: string): Promise<void> {
    if (this.#socket?.open !== true) {
      this.#socket = await WebSocketPush.open(this.#endpoint(), this.#timings, {
        signal: this.#stop.signal,
        onClose: () => {
          if (this.#connected === "websocket") this.#connected = null;
        },
      });
    }
    await this.#socket.push(body);
  }

  async #overHttp(body: string): Promise<void> {
    const controller = new AbortController();
    this.#posting = controller;
    if (this.#stop.signal.aborted) controller.abort();
    const timer = setTimeout(() => controller.abort(new PushError("timeout")), this.#timings.answerMs).unref();
    try {
      await pushOverHttp(this.#endpoint(), body, controller.signal);
    } finally {
      clearTimeout(timer);
      this.#posting = null;
    }
  }

  #endpoint(): Endpoint {
    const { url, stream } = this.#options;
    const { lookup, readSecret } = this.#dependencies;
    return {
      url: pushUrl(url, stream),
      headers: authorization(this.#options, readSecret),
      lookup: checkedLookup(lookup),
    };
  }

  #succeeded(): void {
    if (this.#told.size > 0) this.#dependencies.log.info({ transport: this.#connected }, "Grafana Live takes pushes");
    this.#told.clear();
    this.#failures = 0;
  }

  /** Doubling, then a random half to whole of it, so that daemons cut off together do not come back together. */
  #waitAfter({ outcome }: PushError): number {
    const { firstBackoffMs, longestBackoffMs, firstRefusedMs, longestRefusedMs } = this.#timings;
    const denied = outcome === "unauthorized" || outcome === "refused" || outcome === "denied_address";
    const [first, longest] = denied ? [firstRefusedMs, longestRefusedMs] : [firstBackoffMs, longestBackoffMs];
    const whole = Math.min(longest, first * 2 ** Math.min(this.#failures - 1, 30));
    return whole * (0.5 + this.#random() / 2);
  }

  #count(transport: Transport, outcome: Outcome): void {
    const key = `${transport} ${outcome}`;
    const counted = this.#pushes.get(key);
    if (counted === undefined) this.#pushes.set(key, { transport, outcome, count: 1 });
    else counted.count++;
  }

  /** Each kind of failure once, until a push succeeds. */
  #tell(transport: Transport, { outcome, status }: PushError): void {
    if (this.#closed) return;
    const kind = `${transport} ${outcome}`;
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.#dependencies.log.warn({ transport, outcome, status }, `Grafana Live: ${ADVICE[outcome]}`);
  }
}

const ADVICE: { readonly [O in Exclude<Outcome, "ok">]: string } = {
  unauthorized:
    "the credentials are not accepted: check telemetry.grafana_live.token_file, or username and password_file",
  refused:
    "the push is refused: the account needs the role Admin (WebSocket) or live:push (HTTP), and redirects are not followed",
  rejected: "the lines are not taken",
  unavailable: "no connection, tried again with growing waits",
  timeout: "no answer in time, tried again with growing waits",
  denied_address: "telemetry.grafana_live.url leads to a link-local address, where nothing is sent",
};
