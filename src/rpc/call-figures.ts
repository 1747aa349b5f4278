import type { Clock } from "../model/clock.ts";
import type { CallRecord } from "./dispatcher.ts";

/** How far back rates and percentiles look, ms. */
const WINDOW_MS = 60_000;
/** Calls remembered at the most: beyond it the figures are of the latest ones. */
const REMEMBERED = 20_000;

/** Figures of the calls of the last minute, for people: metrics have the exact ones. */
export class CallFigures {
  readonly #clock: Clock;
  #recent: { readonly at: number; readonly seconds: number }[] = [];
  #total = 0;
  #errors = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record({ outcome, seconds }: Pick<CallRecord, "outcome" | "seconds">): void {
    this.#total++;
    if (outcome !== "ok") this.#errors++;
    this.#recent.push({ at: this.#clock.monotonic(), seconds });
    if (this.#recent.length > 2 * REMEMBERED) this.#recent = this.#recent.slice(-REMEMBERED);
  }

  read(): {
    readonly total: number;
    readonly perSecond: number;
    readonly errors: number;
    readonly p99Ms: number | null;
  } {
    const since = this.#clock.monotonic() - WINDOW_MS;
    this.#recent = this.#recent.filter((call) => call.at >= since);
    const sorted = this.#recent.map((call) => call.seconds).sort((a, b) => a - b);
    const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1];
    return {
      total: this.#total,
      perSecond: sorted.length / (WINDOW_MS / 1000),
      errors: this.#errors,
      p99Ms: p99 === undefined ? null : p99 * 1000,
    };
  }
}
