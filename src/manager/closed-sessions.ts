import { setImmediate as nextTurn } from "node:timers/promises";
import { CLOSED_AT_ONCE, type Journal } from "../store/journal.ts";
import type { Summary } from "./summary.ts";

/** Records read for one page: of a choice that few sessions fit, a page is short and the next one goes on. */
const MOST_READ = 2_000;
/** Closed sessions that are counted; more are told as so many. */
export const MOST_COUNTED = 10_000;

/** Of summaries from before it was told. */
const UNTOLD = { evicted_blocks: null, regretted_blocks: null };

export interface ClosedPage {
  readonly sessions: readonly Summary[];
  /** `before` of the next page; null when there is none. */
  readonly next: number | null;
}

/**
 * Closed sessions of a tenant that fit, the one that closed last first, from before the journal's row `before` on.
 * Reads their records, in slices between which the event loop gets a turn, and restores none.
 */
export async function closedPage(
  journal: Pick<Journal, "closedSessions">,
  tenant: string,
  options: { readonly before: number | null; readonly limit: number; readonly fits: (summary: Summary) => boolean },
): Promise<ClosedPage> {
  const { limit, fits } = options;
  const sessions: Summary[] = [];
  let before = options.before;
  for (let read = 0; read < MOST_READ && sessions.length < limit; ) {
    const wanted = Math.min(CLOSED_AT_ONCE, MOST_READ - read);
    const slice = await journal.closedSessions({ tenant, limit: wanted, ...(before === null ? {} : { before }) });
    for (const { summary, damaged, closedBy } of slice) {
      before = closedBy;
      // A damaged one is not listed, as at the start; who calls it is told so.
      const told = damaged ? null : summaryOfClosed(summary);
      if (told !== null && fits(told)) sessions.push(told);
      if (sessions.length === limit) return { sessions, next: before };
    }
    if (slice.length < wanted) return { sessions, next: null };
    read += slice.length;
    await nextTurn();
  }
  return { sessions, next: before };
}

/** A summary that an earlier version stored does not tell when the session was closed: its last call did it. */
function summaryOfClosed(stored: string): Summary {
  const summary = JSON.parse(stored) as Summary;
  return { ...UNTOLD, ...summary, closed_at: summary.closed_at ?? summary.last_seen };
}
