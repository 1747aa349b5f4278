import type { Clock } from "../model/clock.ts";
import { MINUTE_MS, Minutes } from "../telemetry/minutes.ts";
import type { CallRecord } from "./dispatcher.ts";
import { Durations } from "./durations.ts";

/** How far back rates and percentiles look, ms. */
const WINDOW_MS = 60_000;
/** Calls of a tenant remembered at the most: beyond it the figures are of the latest ones. */
const REMEMBERED = 20_000;

/** The calls that an agent makes at fixed points of its loop: what waits for the daemon is an agent only in these. */
const HOOKS: ReadonlySet<string> = new Set(["on_turn_start", "on_tool_result", "on_turn_end", "on_overflow"]);

interface Counts {
  total: number;
  errors: number;
}

interface RecentCall {
  readonly at: number;
  readonly seconds: number;
  readonly method: string;
}

interface TenantCalls {
  readonly hooks: Counts;
  readonly methods: Map<string, Counts>;
  recent: RecentCall[];
}

/** Totals since the daemon's start; the rate and the percentiles are of the last minute, null without a call in it. */
export interface CallTotals {
  readonly total: number;
  readonly perSecond: number;
  readonly errors: number;
  readonly p99Ms: number | null;
}

export interface MethodFigures extends CallTotals {
  readonly method: string;
  readonly p50Ms: number | null;
}

/** The hooks of one minute of the last hour, oldest first. */
export interface MinuteHooks {
  readonly perSecond: number;
  /** Within 5 % of the exact one; null without a hook. */
  readonly p99Ms: number | null;
}

/**
 * Figures of the calls of the last minute, for people: metrics have the exact ones. Kept by tenant, since one must not
 * learn from them what another does.
 */
export class CallFigures {
  readonly #clock: Clock;
  readonly #tenants = new Map<string, TenantCalls>();
  readonly #minutes: Minutes<Durations>;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#minutes = new Minutes(clock, () => new Durations());
  }

  record({ tenant, method, outcome, seconds }: Pick<CallRecord, "tenant" | "method" | "outcome" | "seconds">): void {
    const calls: TenantCalls = this.#tenants.get(tenant) ?? {
      hooks: { total: 0, errors: 0 },
      methods: new Map(),
      recent: [],
    };
    this.#tenants.set(tenant, calls);
    const ofMethod = calls.methods.get(method) ?? { total: 0, errors: 0 };
    calls.methods.set(method, ofMethod);
    const isHook = HOOKS.has(method);
    for (const counts of isHook ? [calls.hooks, ofMethod] : [ofMethod]) {
      counts.total++;
      if (outcome !== "ok") counts.errors++;
    }
    calls.recent.push({ at: this.#clock.monotonic(), seconds, method });
    if (calls.recent.length > 2 * REMEMBERED) calls.recent = calls.recent.slice(-REMEMBERED);
    if (isHook) this.#minutes.current(tenant).add(seconds);
  }

  /** Of the hooks only: what people and tools read of the daemon beside them makes no agent wait. */
  hooks(tenant: string): CallTotals {
    const calls = this.#tenants.get(tenant);
    if (!calls) return { total: 0, perSecond: 0, errors: 0, p99Ms: null };
    const { total, errors } = calls.hooks;
    const sorted = sortedMs(this.#recent(calls).filter(({ method }) => HOOKS.has(method)));
    return { total, errors, perSecond: rateOf(sorted), p99Ms: quantile(sorted, 0.99) };
  }

  /** All calls by method, the most called first. Methods have names of the registry's, so they end. */
  methods(tenant: string): readonly MethodFigures[] {
    const calls = this.#tenants.get(tenant);
    if (!calls) return [];
    const recent = new Map<string, RecentCall[]>();
    for (const call of this.#recent(calls)) {
      const known = recent.get(call.method);
      if (known) known.push(call);
      else recent.set(call.method, [call]);
    }
    return [...calls.methods]
      .map(([method, { total, errors }]) => {
        const sorted = sortedMs(recent.get(method) ?? []);
        const [p50Ms, p99Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
        return { method, total, errors, perSecond: rateOf(sorted), p50Ms, p99Ms };
      })
      .sort((a, b) => b.total - a.total || (a.method < b.method ? -1 : 1));
  }

  /** The hooks of the last hour. */
  history(tenant: string): readonly MinuteHooks[] {
    const steps = this.#minutes.read(tenant);
    return steps.map((step, index) => {
      // The last minute is not over: its rate is that of what has passed of it.
      const seconds = (MINUTE_MS / 1000) * (index === steps.length - 1 ? this.#minutes.elapsed : 1);
      return { perSecond: (step?.n ?? 0) / seconds, p99Ms: step?.quantileMs(0.99) ?? null };
    });
  }

  #recent(calls: TenantCalls): readonly RecentCall[] {
    const since = this.#clock.monotonic() - WINDOW_MS;
    calls.recent = calls.recent.filter((call) => call.at >= since);
    return calls.recent;
  }
}

function sortedMs(calls: readonly RecentCall[]): number[] {
  return calls.map(({ seconds }) => seconds * 1000).sort((a, b) => a - b);
}

function rateOf(calls: readonly unknown[]): number {
  return calls.length / (WINDOW_MS / 1000);
}

function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null;
}
