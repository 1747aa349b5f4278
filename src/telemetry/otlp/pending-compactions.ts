import type { PublishedEvent } from "../../model/events.ts";

/** A pass that was committed, and the use of the window after it; undefined: it was not measured. */
export interface Compaction {
  readonly event: Extract<PublishedEvent, { readonly type: "history.compacted" }>;
  readonly utilization: number | undefined;
}

/** The call that may have made a pass: same tenant, session and trace, and begun before the pass was committed. */
export interface CallPlace {
  readonly tenant: string;
  readonly sessionId: string;
  readonly traceparent: string | undefined;
  readonly startMs: number;
}

/** Passes whose call is not over yet, at most. */
const KEPT = 1_000;
/** A call ends within moments of its commit; a pass that is older has none, or none that tells its session. */
const LONGEST_WAIT_MS = 2_000;
/** The wall clock of events has whole milliseconds, and may be set back a little. */
const SLACK_MS = 2;

/**
 * Passes that wait for the end of the call that made them: events are told at the commit, the call only once it is
 * answered. Bounded; what nobody takes is handed back as an orphan.
 */
export class PendingCompactions {
  #waiting: Compaction[] = [];

  /** Files the passes of a batch. Returns those that there is no room for any more. */
  file(events: readonly PublishedEvent[]): Compaction[] {
    for (const [index, event] of events.entries()) {
      if (event.type !== "history.compacted") continue;
      this.#waiting.push({ event, utilization: utilizationBehind(events, index) });
    }
    return this.#waiting.splice(0, Math.max(0, this.#waiting.length - KEPT));
  }

  /** Hands out the passes that the call made. */
  take({ tenant, sessionId, traceparent, startMs }: CallPlace): Compaction[] {
    if (this.#waiting.length === 0) return [];
    const isOf = ({ event }: Compaction): boolean =>
      event.session === sessionId &&
      event.tenant === tenant &&
      event.traceparent === traceparent &&
      event.at >= startMs - SLACK_MS;
    const taken = this.#waiting.filter(isOf);
    if (taken.length > 0) this.#waiting = this.#waiting.filter((each) => !isOf(each));
    return taken;
  }

  /** Hands out those that have waited too long; all of them where `now` is infinite. */
  orphans(now: number): Compaction[] {
    const isOld = ({ event }: Compaction): boolean => now - event.at > LONGEST_WAIT_MS;
    const old = this.#waiting.filter(isOld);
    if (old.length > 0) this.#waiting = this.#waiting.filter((each) => !isOld(each));
    return old;
  }
}

/** A pass is measured in the same batch, behind it. */
function utilizationBehind(events: readonly PublishedEvent[], index: number): number | undefined {
  const session = events[index]?.session;
  for (const event of events.slice(index + 1)) {
    if (event.session === session && event.type === "pressure.measured") return event.data.utilization;
  }
  return undefined;
}
