import { rowsOfLedger } from "../../ledger/index.ts";
import type { CoreEvent, EventData, EventType, LedgerEntry } from "../../model/events.ts";
import type { OutlinedBlock } from "./context-outline.ts";

type Rebuilt = EventData["ledger.rebuilt"];

/** What a pass wrote of contextd's own: the last event of each kind among its events. */
export interface Written {
  readonly ledger: Rebuilt | null;
  readonly summary: EventData["summary.rewritten"] | null;
  readonly standing: EventData["standing.rewritten"] | null;
}

export function writtenBy(events: readonly CoreEvent[]): Written {
  const last = <T extends EventType>(type: T): EventData[T] | null =>
    (events.findLast((event) => event.type === type)?.data as EventData[T] | undefined) ?? null;
  return {
    ledger: last("ledger.rebuilt"),
    summary: last("summary.rewritten"),
    standing: last("standing.rewritten"),
  };
}

/** The messages that hold what was written. */
export function writtenMessages({ ledger, summary, standing }: Written): ReadonlySet<string> {
  const ids = [ledger?.stable_message_id, ledger?.fresh_message_id, summary?.message_id, standing?.message_id];
  return new Set(ids.filter((id) => typeof id === "string"));
}

/**
 * What was written, with its texts. `after`: the context just behind the pass; `texts`: what its blocks show, by block.
 */
export function carriedOf(
  { ledger, summary, standing }: Written,
  after: readonly OutlinedBlock[],
  texts: ReadonlyMap<string, string>,
) {
  const textOf = (messageId: string | null): string | null => {
    const shown = after.filter((block) => block.messageId === messageId).flatMap(({ id }) => texts.get(id) ?? []);
    return shown.length === 0 ? null : shown.join("\n");
  };
  return {
    ledger: ledger && {
      lines: ledger.lines,
      candidates: ledger.candidates,
      tokens_before: ledger.tokens_before,
      tokens_after: ledger.tokens_after,
      cut_off: ledger.cut_off ?? null,
      entries: [
        ...rowsOfSegment("stable", ledger, textOf(ledger.stable_message_id)),
        ...rowsOfSegment("fresh", ledger, textOf(ledger.fresh_message_id)),
      ],
    },
    summary: summary && {
      summarizer: summary.summarizer,
      generation: summary.generation,
      passages: summary.passages,
      facts: summary.facts,
      tokens_before: summary.tokens_before,
      tokens_after: summary.tokens_after,
      text: summary.held ?? textOf(summary.message_id),
    },
    standing: standing && {
      notes: standing.notes,
      constraints: standing.constraints,
      left_out: standing.left_out,
      tokens_before: standing.tokens_before,
      tokens_after: standing.tokens_after,
      text: textOf(standing.message_id),
    },
  };
}

/** Rows of a segment with where they come from; rows of which that was not recorded have nulls. */
function rowsOfSegment(segment: LedgerEntry["segment"], rebuilt: Rebuilt, text: string | null) {
  const entries = entriesOf(rebuilt).filter((entry) => entry.segment === segment);
  return (text === null ? [] : rowsOfLedger(text)).map((row, at) => {
    const { block_id = null, line = null, need = null } = entries[at] ?? {};
    return { segment, text: row, need, block_id, line };
  });
}

/** Rows of earlier versions tell none. */
export function entriesOf(rebuilt: Rebuilt | null): readonly LedgerEntry[] {
  return rebuilt?.entries ?? [];
}
