import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import { backoffMs } from "../../outbound/index.ts";
import type { Incident, Status } from "./incident.ts";
import { type DropReason, LaneQueue, type Waiting } from "./lane-queue.ts";
import type { AlertNotice } from "./notice.ts";
import type { Destination } from "./sink.ts";

export interface LaneOptions {
  readonly queue: number;
  readonly concurrency: number;
  readonly retryForMs: number;
}

export interface LaneDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly noticeOf: (incident: Incident, status: Status) => AlertNotice;
  /** Resolves when it is on the disk that these may have been told. */
  readonly recorded: (incidents: readonly Incident[]) => Promise<void>;
  /** Told when a destination has been told, or when that was given up. */
  readonly onSettled: (incident: Incident, status: Status) => void;
  /** Told when nothing waits any more and notices had given way that are of use still. */
  readonly onRoom: () => void;
}

/** How deliveries ended, and attempts that failed and are repeated. */
export type DeliveryOutcome = "ok" | "refused" | "retried" | "given_up";

export interface LaneFigures {
  readonly queued: number;
  readonly outcomes: Readonly<Record<DeliveryOutcome, number>>;
  readonly drops: Readonly<Record<DropReason, number>>;
}

/** Longest time that a receiver may ask to be left alone, ms. */
const LONGEST_PAUSE_MS = 300_000;

/**
 * Delivers to one destination: several at once, those about one alert one after the other, again after a while where
 * the failure may pass. Nobody waits for it.
 */
export class Lane {
  readonly destination: Destination;
  readonly #options: LaneOptions;
  readonly #deps: LaneDependencies;
  readonly #queue: LaneQueue;
  readonly #outcomes = { ok: 0, refused: 0, retried: 0, given_up: 0 };
  readonly #drops = { superseded: 0, overflow: 0 };
  readonly #abort = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #pausedUntil = 0;
  #failing = false;
  #isWoken = false;
  #owes = false;
  #closed = false;

  constructor(destination: Destination, options: LaneOptions, dependencies: LaneDependencies) {
    this.destination = destination;
    this.#options = options;
    this.#deps = dependencies;
    this.#queue = new LaneQueue(options.queue);
  }

  get room(): boolean {
    return !this.#queue.full;
  }

  figures(): LaneFigures {
    return { queued: this.#queue.length, outcomes: { ...this.#outcomes }, drops: { ...this.#drops } };
  }

  /** Puts a notice into the queue, unless it is there. Returns at once. */
  add(incident: Incident, status: Status): void {
    if (this.#closed || this.#queue.has(incident, status)) return;
    const since = this.#deps.clock.monotonic();
    const drop = this.#queue.push({ incident, status, attempts: 0, since, notBefore: 0 });
    if (drop) {
      this.#drops[drop.reason] += 1;
      // What is superseded is of no use any more; what gave way is told when there is room.
      if (drop.reason === "superseded") this.#deps.onSettled(drop.dropped.incident, drop.dropped.status);
      else this.#owes = true;
    }
    this.#wake();
  }

  /** Takes no more, tries everything that waits at once, and gives up what is not taken in time. */
  async close(withinMs: number): Promise<void> {
    this.#closed = true;
    const cutOff = setTimeout(() => this.#abort.abort(new Error("the daemon stops")), withinMs);
    this.#pausedUntil = 0;
    this.#queue.hurry();
    this.#pump();
    while (this.#running.size > 0 && !this.#abort.signal.aborted) await Promise.race(this.#running);
    clearTimeout(cutOff);
    this.#abort.abort(new Error("the daemon stops"));
    if (this.#timer) clearTimeout(this.#timer);
  }

  /** After the call that raised the alert was answered. */
  #wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    setImmediate(() => {
      this.#isWoken = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#abort.signal.aborted) return;
    const now = this.#deps.clock.monotonic();
    while (now >= this.#pausedUntil && this.#running.size < this.#options.concurrency) {
      const entries = this.#queue.take(this.destination.batch, now);
      if (entries.length === 0) break;
      const run = this.#run(entries).finally(() => {
        this.#running.delete(run);
        this.#pump();
      });
      this.#running.add(run);
    }
    this.#sleep();
    if (!this.#owes || this.#queue.length > 0) return;
    this.#owes = false;
    this.#deps.onRoom();
  }

  #sleep(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const next = this.#queue.nextTime();
    if (next === null || this.#running.size >= this.#options.concurrency) return;
    const wait = Math.max(next, this.#pausedUntil) - this.#deps.clock.monotonic();
    this.#timer = setTimeout(() => this.#pump(), Math.max(1, Math.ceil(wait)));
    this.#timer.unref();
  }

  /** Never rejects. */
  async #run(entries: readonly Waiting[]): Promise<void> {
    try {
      await this.#deps.recorded(entries.map(({ incident }) => incident));
      await this.#deliver(entries.map(({ incident, status }) => this.#deps.noticeOf(incident, status)));
      for (const entry of entries) this.#settle(entry, "ok");
      if (this.#failing) this.#deps.log.info({ sink: this.destination.sink }, "alerts are delivered again");
      this.#failing = false;
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#failed(entries, error);
    }
  }

  /** With a time limit that holds for sinks that heed no signal, too. */
  async #deliver(notices: readonly AlertNotice[]): Promise<void> {
    const late = new AbortController();
    const limit = setTimeout(() => late.abort(new LateError()), this.destination.timeoutMs);
    const signal = AbortSignal.any([late.signal, this.#abort.signal]);
    try {
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        this.destination.deliver(notices, signal).then(resolve, reject);
      });
    } finally {
      clearTimeout(limit);
    }
  }

  #failed(entries: readonly Waiting[], error: unknown): void {
    const { permanent, retryAfterMs, code } = asFailure(error);
    const { clock, log, random } = this.#deps;
    const now = clock.monotonic();
    const { sink } = this.destination;
    if (permanent) {
      log.warn({ sink, code, notices: entries.length }, "a sink refused alerts: they are not sent to it again");
    } else if (!this.#failing) {
      this.#failing = true;
      log.warn({ sink, code }, "alerts cannot be delivered now: they are sent again");
    }
    if (retryAfterMs !== undefined) this.#pausedUntil = now + Math.min(retryAfterMs, LONGEST_PAUSE_MS);
    for (const entry of entries) {
      if (permanent) this.#settle(entry, "refused");
      else if (this.#closed || now - entry.since >= this.#options.retryForMs) this.#giveUp(entry);
      else {
        entry.attempts += 1;
        this.#outcomes.retried += 1;
        this.#queue.release(entry, now + backoffMs(entry.attempts, random));
      }
    }
  }

  /** A daemon that stops leaves the rest to the next one, which finds it in the record. */
  #giveUp(entry: Waiting): void {
    if (this.#closed) this.#queue.remove(entry);
    else this.#settle(entry, "given_up");
  }

  #settle(entry: Waiting, outcome: Exclude<DeliveryOutcome, "retried">): void {
    this.#outcomes[outcome] += 1;
    this.#queue.remove(entry);
    this.#deps.onSettled(entry.incident, entry.status);
  }
}

class LateError extends Error {
  readonly code = "timeout";
}

/** What a delivery was rejected with. A sink of the user's own may reject with anything. */
function asFailure(error: unknown): { permanent: boolean; retryAfterMs: number | undefined; code: string } {
  const { permanent, retryAfterMs, code } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return {
    permanent: permanent === true,
    retryAfterMs: typeof retryAfterMs === "number" && retryAfterMs > 0 ? retryAfterMs : undefined,
    code: typeof code === "string" ? code.slice(0, 50) : "failed",
  };
}
