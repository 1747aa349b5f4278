import type { Clock } from "../model/clock.ts";
import type { CallRecord } from "./dispatcher.ts";

/** How far back rates and percentiles look, ms. */
const WINDOW_MS = 60_000;
/** Calls of a tenant remembered at the most: beyond it the figures are of the latest ones. */
const REMEMBERED = 20_000;

interface TenantCalls {
  total: number;
  errors: number;
  recent: { readonly at: number; readonly seconds: number }[];
}

/**
 * Figures of the calls of the last minute, for people: metrics have the exact ones. Kept by tenant, since one must not
 * learn from them what another does.
 */
export class CallFigures {
  readonly #clock: Clock;
  readonly #tenants = new Map<string, TenantCalls>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record({ tenant, outcome, seconds }: Pick<CallRecord, "tenant" | "outcome" | "seconds">): void {
    const calls = this.#tenants.get(tenant) ?? { total: 0, errors: 0, recent: [] };
    this.#tenants.set(tenant, calls);
    calls.total++;
    if (outcome !== "ok") calls.errors++;
    calls.recent.push({ at: this.#clock.monotonic(), seconds });
    if (calls.recent.length > 2 * REMEMBERED) calls.recent = calls.recent.slice(-REMEMBERED);
  }

  read(tenant: string): {
    readonly total: number;
    readonly perSecond: number;
    readonly errors: number;
    readonly p99Ms: number | null;
  } {
    const calls = this.#tenants.get(tenant);
    if (!calls) return { total: 0, perSecond: 0, errors: 0, p99Ms: null };
    const since = this.#clock.monotonic() - WINDOW_MS;
    calls.recent = calls.recent.filter((call) => call.at >= since);
    const sorted = calls.recent.map((call) => call.seconds).sort((a, b) => a - b);
    const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1];
    return {
      total: calls.total,
      perSecond: sorted.length / (WINDOW_MS / 1000),
      errors: calls.errors,
      p99Ms: p99 === undefined ? null : p99 * 1000,
    };
  }
}
