import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "../model/clock.ts";

/** Milliseconds between two looks at the event loop. */
const RESOLUTION_MS = 10;
/** Time between two readings that are kept, ms, and how many: an hour. */
const EVERY_MS = 10_000;
const KEPT = 360;
/** Readings that are told. */
const TOLD = 120;

/** One reading of the process, with whatever else is watched beside it. */
export interface ProcessReading<Beside> {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** How late the event loop ran, 99th percentile, ms, since the reading before. */
  readonly loopP99Ms: number;
  readonly rssBytes: number;
  readonly beside: Beside;
}

/**
 * Reads the process every ten seconds and keeps an hour of it. It has a monitor of its own for the event loop: that of
 * the metrics begins anew with each scrape.
 */
export class ProcessWatch<Beside> {
  readonly #clock: Clock;
  readonly #beside: () => Beside;
  readonly #delay: IntervalHistogram;
  readonly #timer: NodeJS.Timeout;
  #readings: ProcessReading<Beside>[] = [];

  constructor(clock: Clock, beside: () => Beside) {
    this.#clock = clock;
    this.#beside = beside;
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delay.enable();
    this.#timer = setInterval(() => this.#keep(), EVERY_MS).unref();
  }

  /** What was kept, oldest first, thinned evenly to 120 at most, and the reading of now as the last. */
  read(): readonly ProcessReading<Beside>[] {
    const all = [...this.#readings, this.#now()];
    const step = Math.ceil(all.length / TOLD);
    return all.filter((_, index) => (all.length - 1 - index) % step === 0);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  #keep(): void {
    this.#readings = [...this.#readings, this.#now()].slice(-KEPT);
    this.#delay.reset();
  }

  #now(): ProcessReading<Beside> {
    // The monitor counts its own interval in, and knows nothing before its first tick.
    const late = this.#delay.count === 0 ? 0 : Math.max(0, this.#delay.percentile(99) / 1e6 - RESOLUTION_MS);
    return { at: this.#clock.now(), loopP99Ms: late, rssBytes: process.memoryUsage.rss(), beside: this.#beside() };
  }
}
