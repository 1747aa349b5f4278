import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import { backoffMs, pause } from "../../outbound/index.ts";
import { encodeSpans, type Resource } from "./encode.ts";
import { type PostOptions, postSpans } from "./post.ts";
import type { Span } from "./span.ts";

export interface ExporterOptions extends Pick<PostOptions, "url" | "headers" | "timeoutMs" | "lookup"> {
  readonly resource: Resource;
  /** Spans that may wait, those under way included. */
  readonly queue: number;
  /** Longest time that a span waits for others, ms. */
  readonly flushMs?: number;
  /** Time to send what is left when it is closed, ms. */
  readonly drainMs?: number;
}

export interface ExporterDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

/** `sent`; `rejected` by the collector; `given_up` after the last attempt; `dropped` from a full queue. */
export type SpanOutcome = "sent" | "rejected" | "given_up" | "dropped";

const FLUSH_MS = 1_000;
const DRAIN_MS = 2_000;
/** Spans in a request: a few hundred kB of JSON at most, made in about a millisecond. */
const BATCH = 256;
/** Requests for one batch. */
const ATTEMPTS = 4;
/** A collector that asks to be left alone for longer is asked again all the same. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Sends spans to a collector, one batch at a time. `add` only files a span, and drops it when the queue is full: a
 * collector that hangs costs hooks nothing, and memory no more than the queue. It *waits* until a batch is full or its
 * oldest span is old enough, then *sends* until nothing is left. A batch that is refused, or fails for the last time,
 * is gone, and is counted.
 */
export class SpanExporter {
  readonly #options: ExporterOptions;
  readonly #deps: ExporterDependencies;
  readonly #abort = new AbortController();
  readonly #outcomes: Record<SpanOutcome, number> = { sent: 0, rejected: 0, given_up: 0, dropped: 0 };
  #queue: Span[] = [];
  #underWay = 0;
  #timer: NodeJS.Timeout | null = null;
  #woken: NodeJS.Immediate | null = null;
  #running: Promise<void> | null = null;
  #closed = false;
  #failing = false;

  constructor(options: ExporterOptions, dependencies: ExporterDependencies) {
    this.#options = options;
    this.#deps = dependencies;
  }

  add(span: Span): void {
    if (this.#closed || this.#queue.length + this.#underWay >= this.#options.queue) {
      this.#outcomes.dropped += 1;
      return;
    }
    this.#queue.push(span);
    if (this.#running !== null) return;
    if (this.#queue.length >= BATCH) this.#woken ??= setImmediate(() => this.#wake());
    else this.#timer ??= setTimeout(() => this.#wake(), this.#options.flushMs ?? FLUSH_MS).unref();
  }

  /** Spans since start, by what became of them. */
  outcomes(): Readonly<Record<SpanOutcome, number>> {
    return { ...this.#outcomes };
  }

  /** Sends what is left, for a bounded time and without attempts after the first. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const limit = setTimeout(() => this.#abort.abort(), this.#options.drainMs ?? DRAIN_MS);
    this.#wake();
    await this.#running;
    clearTimeout(limit);
  }

  #wake(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#woken !== null) clearImmediate(this.#woken);
    this.#timer = null;
    this.#woken = null;
    this.#running ??= this.#sendAll().finally(() => {
      this.#running = null;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, BATCH);
      this.#queue = this.#queue.slice(BATCH);
      this.#underWay = batch.length;
      await this.#deliver(batch);
      this.#underWay = 0;
    }
  }

  async #deliver(batch: readonly Span[]): Promise<void> {
    const { clock, random } = this.#deps;
    const { signal } = this.#abort;
    const body = encodeSpans(batch, this.#options.resource);
    for (let attempt = 1; !signal.aborted; attempt++) {
      const result = await postSpans(body, { ...this.#options, signal, now: () => clock.now() });
      if (result.kind === "taken") {
        this.#taken(batch.length, Math.min(result.rejected, batch.length));
        return;
      }
      this.#tell(result.code);
      if (result.kind === "refused") {
        this.#outcomes.rejected += batch.length;
        return;
      }
      if (attempt >= ATTEMPTS || this.#closed) break;
      const wait = Math.min(LONGEST_PAUSE_MS, Math.max(result.retryAfterMs ?? 0, backoffMs(attempt, random)));
      await pause(wait, signal).catch(() => undefined);
    }
    this.#outcomes.given_up += batch.length;
  }

  #taken(spans: number, rejected: number): void {
    this.#outcomes.sent += spans - rejected;
    this.#outcomes.rejected += rejected;
    if (this.#failing) this.#deps.log.info({}, "the collector takes spans again");
    this.#failing = false;
  }

  /** Once, until it works again. */
  #tell(code: string): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#deps.log.warn({ code }, "the collector does not take spans: contextd_otlp_spans_total counts what is lost");
  }
}
