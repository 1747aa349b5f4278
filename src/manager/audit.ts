import { setImmediate as nextTurn } from "node:timers/promises";
import type { CoreEvent } from "../model/events.ts";
import type { SessionKey } from "../model/session-key.ts";
import type { Journal, JournalRow } from "../store/journal.ts";
import { readBody } from "./row.ts";

/** Rows read at a time, after which other calls have their turn. */
const PAGE = 250;
/** Rows that a call reads at most when it looks for events of some types. */
export const MOST_AUDITED = 5000;

/** One event with the call that told it. */
export interface AuditEntry {
  readonly position: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** null: the event does not say, and nothing before it in its call does. */
  readonly turn: number | null;
  readonly type: CoreEvent["type"];
  readonly data: unknown;
}

export interface AuditQuery {
  readonly types: readonly string[] | null;
  /** First position read: the first row in order, or the newest of those asked for. null: from the end it starts at. */
  readonly from: number | null;
  readonly newestFirst: boolean;
  /** Most rows that the answer is of: without types all that are read, with them those that hold such an event. */
  readonly limit: number;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Position at which the next page begins; null: there is none. */
  readonly next: number | null;
}

/**
 * One page of a session's events, row by row. Rows that hold none of the types asked for are passed over unparsed, so
 * that a page of decisions out of a long journal costs reading its text; `MOST_AUDITED` rows end a page even so.
 */
export async function readAudit(
  journal: Pick<Journal, "rows">,
  key: SessionKey,
  lastPosition: number,
  { types, from, newestFirst, limit }: AuditQuery,
): Promise<AuditPage> {
  const step = newestFirst ? -1 : 1;
  const entries: AuditEntry[] = [];
  const wanted = types === null ? null : new Set(types);
  let at = Math.min(from ?? (newestFirst ? lastPosition : 1), newestFirst ? lastPosition : Number.MAX_SAFE_INTEGER);
  let rowsTaken = 0;
  for (let read = 0; at >= 1 && at <= lastPosition && read < MOST_AUDITED && rowsTaken < limit; ) {
    const most = Math.min(PAGE, MOST_AUDITED - read, wanted === null ? limit - rowsTaken : PAGE);
    const rows = await journal.rows(key, { from: at, limit: most, newestFirst });
    if (rows.length === 0) return { entries, next: null };
    for (const row of rows) {
      if (rowsTaken === limit) break;
      read++;
      at = row.sessionSeq + step;
      const found = entriesOf(row, wanted);
      if (found.length === 0 && wanted !== null) continue;
      entries.push(...found);
      rowsTaken++;
    }
    await nextTurn();
  }
  return { entries, next: at >= 1 && at <= lastPosition ? at : null };
}

function entriesOf(row: JournalRow, wanted: ReadonlySet<string> | null): AuditEntry[] {
  if (wanted !== null && ![...wanted].some((type) => row.body.includes(`"type":"${type}"`))) return [];
  let turn: number | null = null;
  return readBody(row.body).events.flatMap(({ type, data }) => {
    if ("turn" in data && typeof data.turn === "number") turn = data.turn;
    if (wanted !== null && !wanted.has(type)) return [];
    return [{ position: row.sessionSeq, at: row.at, method: row.hook, turn, type, data }];
  });
}
