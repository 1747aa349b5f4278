import { setImmediate as nextTurn } from "node:timers/promises";
import type { Config } from "../config/index.ts";
import type { Summary } from "../manager/summary.ts";
import type { Clock } from "../model/clock.ts";
import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Log } from "../model/log.ts";
import { keyText, type SessionKey } from "../model/session-key.ts";
import { readBackgroundVocabulary } from "../replay/background-vocabulary.ts";
import type { AppendRequest, Journal } from "../store/journal.ts";
import type { CandidateParts } from "./candidate.ts";
import { isChosen } from "./choice.ts";
import { TappedJournal } from "./tapped-journal.ts";
import { mergedTotals, type PolicyTotal, type ShadowFigures, totalsOf } from "./totals.ts";
import { ENDINGS, type Ending, WatchedSession } from "./watched-session.ts";

/** Sessions that are no longer watched and still have figures of their own in the report. */
const ENDED_KEPT = 200;
/** A session that was not called for so long gives its place to another, ms. */
const IDLE_MS = 600_000;

export interface ShadowDependencies extends Omit<CandidateParts, "config"> {
  /** The config in effect: a session keeps the candidates that it has when it begins to be watched. */
  readonly config: () => Config;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Candidate policies beside the live one, changing nothing. Calls of chosen sessions are followed once they are stored,
 * a piece at a time between the daemon's own work; no call waits for it, and none can fail by it.
 */
export class Shadow {
  readonly #deps: ShadowDependencies;
  readonly #watched = new Map<string, WatchedSession>();
  #ended: WatchedSession[] = [];
  /** Of the sessions that have left the list, by tenant. */
  readonly #past = new Map<string, PolicyTotal[]>();
  readonly #endings = Object.fromEntries(ENDINGS.map((ending) => [ending, 0])) as Record<Ending, number>;
  readonly #busy = new Set<WatchedSession>();
  #isWorking = false;
  #work: Promise<void> = Promise.resolve();
  #stopped = false;
  /** Read when it is first needed: most daemons have no candidates. */
  #background: ReadonlySet<string> | null = null;
  /** The journal as the manager is to use it. */
  readonly journal: Journal;

  constructor(dependencies: ShadowDependencies) {
    this.#deps = dependencies;
    this.journal = new TappedJournal(dependencies.journal, (row) => this.#take(row));
  }

  /**
   * Watches a session from its first call on, which is read from the journal. Throws rate_limited when as many sessions
   * are watched as may be; the caller has seen to it that there is such a session.
   */
  watch(key: SessionKey): WatchedSession {
    const known = this.#watched.get(keyText(key));
    if (known) return known;
    if (!this.#hasRoom()) {
      const { max_sessions } = this.#deps.config().shadow;
      throw new ContextdError(
        "rate_limited",
        `${max_sessions} sessions are watched, the limit: unwatch one, or raise shadow.max_sessions.`,
      );
    }
    return this.#begin(key, true);
  }

  /** Answers false when the session is not watched. */
  unwatch(key: SessionKey): boolean {
    const session = this.#watched.get(keyText(key));
    if (!session) return false;
    this.#end(session, "unwatched");
    return true;
  }

  /** The tenant's sessions that are watched or were; the latest first. */
  sessions(tenant: string): WatchedSession[] {
    return [...this.#ended, ...this.#watched.values()].filter(({ key }) => key.tenant === tenant).reverse();
  }

  /** Figures of the tenant's sessions since the daemon's start, by policy. */
  totals(tenant: string): PolicyTotal[] {
    return mergedTotals([this.#past.get(tenant) ?? [], totalsOf(this.sessions(tenant))]);
  }

  /** Figures of all sessions since the daemon's start. */
  figures(): ShadowFigures {
    const own = totalsOf([...this.#ended, ...this.#watched.values()]);
    const policies = mergedTotals([own, ...this.#past.values()]);
    return { watched: this.#watched.size, ended: { ...this.#endings }, policies };
  }

  /** Resolves when all calls known so far have been followed. */
  async settled(): Promise<void> {
    while (this.#isWorking) await this.#work;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.settled();
    await Promise.all([...this.#watched.values()].map((session) => session.end("unwatched")));
    this.#watched.clear();
  }

  /** A row is stored, and its call is about to be answered: what is to be done is done afterwards. */
  #take(row: AppendRequest): void {
    if (this.#stopped) return;
    try {
      const session = this.#watched.get(keyText(row.key)) ?? this.#choose(row);
      if (!session) return;
      const { calibration } = JSON.parse(row.summary) as Summary;
      const { sessionSeq, at, hook, body, contents } = row;
      session.offer({ sessionSeq, at, hook, body, contents, calibration });
      this.#takeUp(session);
    } catch (error) {
      this.#deps.log.error({ fault: (error as Error).name }, "a call could not be taken up for a shadow");
    }
  }

  /** A new session that is drawn, where there is room for it. */
  #choose(row: AppendRequest): WatchedSession | null {
    const { shadow } = this.#deps.config();
    if (row.sessionSeq !== 1 || Object.keys(shadow.candidates).length === 0) return null;
    const { agent, profile } = JSON.parse(row.summary) as Summary;
    return isChosen(shadow.sessions, row.key, { agent, profile }) && this.#hasRoom()
      ? this.#begin(row.key, false)
      : null;
  }

  #begin(key: SessionKey, fromJournal: boolean): WatchedSession {
    const { plugins, catalogue, counter, needModel, journal, clock, log } = this.#deps;
    const config = this.#deps.config();
    this.#background ??= readBackgroundVocabulary();
    const candidates = Object.entries(config.shadow.candidates).map(([name, settings]) => ({
      name,
      settings: settings as JsonObject,
    }));
    const session = new WatchedSession(
      { key, candidates, fromJournal, at: clock.now() },
      { config, plugins, catalogue, counter, needModel, journal, log, background: this.#background },
    );
    this.#watched.set(keyText(key), session);
    this.#takeUp(session);
    return session;
  }

  /** Whether one more may be watched; one that has been idle for long gives its place up. */
  #hasRoom(): boolean {
    if (this.#watched.size < this.#deps.config().shadow.max_sessions) return true;
    const since = this.#deps.clock.now() - IDLE_MS;
    const idle = [...this.#watched.values()].find(({ lastCallAt }) => lastCallAt < since);
    if (idle) this.#end(idle, "idle");
    return idle !== undefined;
  }

  #end(session: WatchedSession, ending: Ending): void {
    void session.end(ending);
    this.#retire(session);
  }

  /** Takes a session that has ended from those that are watched. */
  #retire(session: WatchedSession): void {
    const { key, ended } = session;
    if (ended === null || !this.#watched.delete(keyText(key))) return;
    this.#busy.delete(session);
    this.#endings[ended]++;
    this.#ended.push(session);
    if (this.#ended.length <= ENDED_KEPT) return;
    const [oldest, ...kept] = this.#ended;
    this.#ended = kept;
    if (!oldest) return;
    const { tenant } = oldest.key;
    this.#past.set(tenant, mergedTotals([this.#past.get(tenant) ?? [], totalsOf([oldest])]));
  }

  #takeUp(session: WatchedSession): void {
    this.#busy.add(session);
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#work = this.#workOn();
  }

  /** One piece of one session at a time, the sessions in turn: between two of them the daemon does its own work. */
  async #workOn(): Promise<void> {
    for (;;) {
      await nextTurn();
      const [session] = this.#busy;
      if (!session || this.#stopped) break;
      this.#busy.delete(session);
      const didSomething = await session.step();
      if (session.ended !== null) this.#retire(session);
      else if (didSomething) this.#busy.add(session);
    }
    this.#isWorking = false;
  }
}
