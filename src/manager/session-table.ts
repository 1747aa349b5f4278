import type { Clock } from "../model/clock.ts";
import { ContextdError } from "../model/errors.ts";
import { keyText, type SessionKey } from "../model/session-key.ts";
import { Analysis } from "./analysis.ts";
import { SerialQueue } from "./queue.ts";
import type { Restored } from "./restore.ts";
import type { Session } from "./session.ts";
import type { Summary } from "./summary.ts";

/** Blocks read in one slice of background analysis: a slice takes a few milliseconds at most. */
const SLICE = 8;
/** How often idle sessions are looked for, as a share of the idle time. */
const SWEEPS_PER_IDLE = 4;

/** Share of the yellow threshold from which a session's blocks are read: most sessions end before it. */
const NEAR_YELLOW = 0.5;

/** Closed sessions kept in memory, those read last: the calls of one page come together. */
const CLOSED_KEPT = 8;

/** A session's place in memory: its queue always, its state while it is in use. */
export interface Entry {
  readonly key: SessionKey;
  readonly queue: SerialQueue;
  session: Session | null;
  analysis: Analysis | null;
  /** null until the session has committed once. */
  summary: Summary | null;
  lastUsed: number;
}

/** Sessions in memory and the names of those that are not. */
export class SessionTable {
  readonly #entries = new Map<string, Entry>();
  readonly #options: { readonly unloadIdleMs: number; readonly sessionsPerTenant: number };
  readonly #clock: Clock;
  readonly #openByTenant = new Map<string, number>();
  readonly #toAnalyse = new Set<Entry>();
  /** Closed sessions in memory, the one used last at the end. They are no part of what is told of the open ones. */
  readonly #closed = new Set<Entry>();
  #analysing: NodeJS.Immediate | null = null;
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: { readonly unloadIdleMs: number; readonly sessionsPerTenant: number }, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#sweeper = setInterval(() => this.#sweep(), options.unloadIdleMs / SWEEPS_PER_IDLE);
    this.#sweeper.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweeper);
    if (this.#analysing) clearImmediate(this.#analysing);
    await Promise.all([...this.#entries.values()].map((entry) => entry.queue.run(async () => undefined)));
  }

  /** Notes a session that the journal has, without loading it. */
  register(key: SessionKey, summary: Summary): void {
    const entry = this.enter(key);
    entry.summary = summary;
    this.#count(key.tenant, 1);
  }

  /** The entry of a key, made where there is none; `leave` takes one away again that came to nothing. */
  enter(key: SessionKey): Entry {
    const text = keyText(key);
    const known = this.#entries.get(text);
    if (known) return known;
    const entry: Entry = { key, queue: new SerialQueue(), session: null, analysis: null, summary: null, lastUsed: 0 };
    this.#entries.set(text, entry);
    return entry;
  }

  leave(entry: Entry): void {
    entry.lastUsed = this.#clock.monotonic();
    if (entry.queue.length > 0 || isOpen(entry.summary)) return;
    if (entry.session?.closed) this.#keepClosed(entry);
    else this.#forget(entry);
  }

  #keepClosed(entry: Entry): void {
    this.#closed.delete(entry);
    this.#closed.add(entry);
    for (const other of this.#closed) {
      if (this.#closed.size <= CLOSED_KEPT) break;
      if (other.queue.length === 0) this.#forget(other);
    }
  }

  #forget(entry: Entry): void {
    this.unload(entry);
    this.#closed.delete(entry);
    this.#entries.delete(keyText(entry.key));
  }

  /** Refuses a new session over the tenant's limit. */
  admit(tenant: string): void {
    if ((this.#openByTenant.get(tenant) ?? 0) < this.#options.sessionsPerTenant) return;
    throw new ContextdError(
      "rate_limited",
      `The tenant has ${this.#options.sessionsPerTenant} open sessions, its limit: close some, or raise server.limits.sessions_per_tenant.`,
    );
  }

  loaded(entry: Entry, { session, analysis }: Restored): Session {
    entry.session = session;
    entry.analysis = analysis;
    this.#analyseLater(entry);
    return session;
  }

  unload(entry: Entry): void {
    entry.session = null;
    entry.analysis = null;
    this.#toAnalyse.delete(entry);
  }

  analysisOf(entry: Entry, session: Session): Analysis {
    if (entry.analysis && entry.session === session) return entry.analysis;
    const analysis = new Analysis(session);
    if (session.position === 0) entry.analysis = analysis;
    return analysis;
  }

  committed(entry: Entry, session: Session, summary: Summary): void {
    this.#count(entry.key.tenant, Number(isOpen(summary)) - Number(isOpen(entry.summary)));
    entry.session = session;
    entry.summary = summary;
    this.#analyseLater(entry);
  }

  *summaries(tenant?: string): Iterable<{ readonly key: SessionKey; readonly summary: Summary }> {
    for (const { key, summary } of this.#entries.values()) {
      if (summary && isOpen(summary) && (tenant === undefined || key.tenant === tenant)) yield { key, summary };
    }
  }

  summary(key: SessionKey): Summary | null {
    const summary = this.#entries.get(keyText(key))?.summary ?? null;
    return isOpen(summary) ? summary : null;
  }

  #count(tenant: string, change: number): void {
    this.#openByTenant.set(tenant, (this.#openByTenant.get(tenant) ?? 0) + change);
  }

  /** Sessions out of use: first their indexes go, then they. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    const { unloadIdleMs } = this.#options;
    for (const entry of this.#entries.values()) {
      if (!entry.session || entry.queue.length > 0) continue;
      const idleMs = now - entry.lastUsed;
      if (idleMs > unloadIdleMs) this.#leaveMemory(entry);
      else if (idleMs > unloadIdleMs / SWEEPS_PER_IDLE) this.#rest(entry);
    }
  }

  #leaveMemory(entry: Entry): void {
    if (this.#closed.has(entry)) this.#forget(entry);
    else this.unload(entry);
  }

  #rest(entry: Entry): void {
    entry.analysis?.rest();
    this.#toAnalyse.delete(entry);
  }

  /** Reads new blocks between calls, a slice at a time, so that a pass finds them read. */
  #analyseLater(entry: Entry): void {
    if (entry.analysis && entry.analysis.waiting > 0 && isNearEdits(entry.summary)) this.#toAnalyse.add(entry);
    if (this.#toAnalyse.size > 0 && this.#analysing === null) {
      this.#analysing = setImmediate(() => this.#analyse());
    }
  }

  #analyse(): void {
    this.#analysing = null;
    const [entry] = this.#toAnalyse;
    if (!entry) return;
    this.#toAnalyse.delete(entry);
    if (entry.analysis?.settle(SLICE)) this.#toAnalyse.add(entry);
    if (this.#toAnalyse.size > 0) this.#analysing = setImmediate(() => this.#analyse());
  }
}

/** Whether the session is known as an open one. */
function isOpen(summary: Summary | null): boolean {
  return summary !== null && !summary.closed;
}

function isNearEdits(summary: Summary | null): boolean {
  return summary !== null && summary.utilization >= NEAR_YELLOW * summary.thresholds.yellow;
}
