import type { Signal } from "../../eviction/index.ts";
import { componentOf } from "../../model/block.ts";
import type { CoreEvent, EditMethod, EventData, LedgerEntry } from "../../model/events.ts";
import type { OutlinedBlock } from "./context-outline.ts";
import { lineNumberOf } from "./line-number.ts";
import { type Scoring, weighedBy } from "./signals.ts";

/** Who chose an edit that no eviction policy chose, as the events call it. */
const CASCADE = "cascade";

/** One edit of a pass, as its event tells it. */
export interface Edit {
  readonly blockId: string;
  readonly handle: string;
  readonly method: EditMethod;
  /** null: a step of the cascade, or the end of the window, and no policy. */
  readonly policy: string | null;
  readonly rule: string;
  readonly score: number | null;
  readonly signals: readonly Signal[];
  readonly intoBlockId: string | null;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** The edits among the events of a pass, in their order. */
export function editsOf(events: readonly CoreEvent[], scoring: Scoring): Edit[] {
  return events.flatMap((event): Edit[] => {
    switch (event.type) {
      case "block.evicted": {
        const { method, policy, score, score_parts } = event.data;
        if (policy === CASCADE) return [{ ...common(event.data), method, ...UNSCORED }];
        const signals = weighedBy(scoring, policy, score_parts);
        return [{ ...common(event.data), method, policy, score, signals, intoBlockId: null }];
      }
      case "block.merged": {
        const { policy, score, similarity, into_block_id: intoBlockId } = event.data;
        const signals = [{ name: "similarity", value: similarity, weight: null, part: similarity }];
        return [{ ...common(event.data), method: "merge", policy, score, signals, intoBlockId }];
      }
      case "block.truncated":
        return [{ ...common(event.data), method: "truncate", ...UNSCORED }];
      case "block.summarized":
        return [{ ...common(event.data), method: "summarize", ...UNSCORED }];
      default:
        return [];
    }
  });
}

const UNSCORED = { policy: null, score: null, signals: [], intoBlockId: null } as const;

function common(data: { block_id: string; handle: string; rule: string; tokens_before: number; tokens_after: number }) {
  return {
    blockId: data.block_id,
    handle: data.handle,
    rule: data.rule,
    tokensBefore: data.tokens_before,
    tokensAfter: data.tokens_after,
  };
}

export interface TakenSources {
  readonly edits: readonly Edit[];
  readonly before: readonly OutlinedBlock[];
  readonly after: readonly OutlinedBlock[];
  readonly titles: ReadonlyMap<string, string>;
  /** Rows of the ledger as the pass left it. */
  readonly entries: readonly LedgerEntry[];
  readonly regrets: readonly EventData["regret.detected"][];
  /** Original texts of blocks of which an identifier was needed, and no line was recorded. */
  readonly originals: ReadonlyMap<string, string>;
}

/** What the pass took, edit by edit, with what became of each block. */
export function takenOf({ edits, before, after, titles, entries, regrets, originals }: TakenSources) {
  const stood = new Map(before.map((block) => [block.id, block]));
  const stands = new Map(after.map((block) => [block.id, block]));
  const lines = countBy(entries.flatMap(({ block_id }) => block_id ?? []));
  return edits.flatMap((edit) => {
    const block = stood.get(edit.blockId);
    if (!block) return [];
    return {
      block_id: block.id,
      handle: edit.handle,
      type: block.type,
      component: componentOf(block.type),
      tool_name: block.tool?.name ?? null,
      title: titles.get(block.id) ?? "",
      arrived_turn: block.turn,
      tokens_before: edit.tokensBefore,
      tokens_after: edit.tokensAfter,
      method: edit.method,
      policy: edit.policy,
      rule: edit.rule,
      score: edit.score,
      signals: [...edit.signals],
      generation: stands.get(block.id)?.generation ?? null,
      into_block_id: edit.intoBlockId,
      lines_kept: lines.get(block.id) ?? 0,
      regret: regrets
        .filter(({ block_id }) => block_id === block.id)
        .map((regret) => regretOf(regret, originals.get(block.id))),
    };
  });
}

function regretOf(regret: EventData["regret.detected"], original: string | undefined) {
  const { kind, turn, turns_since } = regret;
  // Rows of earlier versions have neither these nor what was estimated.
  const { identifier = null, line = null, need = null, cut_off = null } = regret;
  return { kind, turn, turns_since, identifier, line: line ?? searchedLine(original, identifier), need, cut_off };
}

/** The line as the original tells it, where none was recorded. */
function searchedLine(original: string | undefined, identifier: string | null): number | null {
  return identifier === null || original === undefined ? null : lineNumberOf(original, identifier);
}

function countBy(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
