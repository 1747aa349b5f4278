import {
  chooseLedger,
  type LedgerChoice,
  ledgerText,
  PassView,
  type RowSource,
  rowsOfLedger,
  type SegmentName,
} from "../../ledger/index.ts";
import type { LedgerEntry } from "../../model/events.ts";
import { textOf } from "../../model/part.ts";
import type { Hook, Services } from "../hook.ts";
import { limitsOf } from "../measure.ts";
import type { ManagedMessage, Session } from "../session.ts";
import { addOwnMessage, BLANK_MARK, isBehind, markOf, tokensOfMessage, tokensOfText } from "./own-message.ts";

/** Whether passes carry lines over: as configured, or with policies that free in batches. */
function carriesOver({ settings, scorer }: Services): boolean {
  const { enabled } = settings.ledger;
  return enabled === "auto" ? scorer.depth === "target" && scorer.actions.length > 0 : enabled;
}

/** Tokens that the ledger may take, as the provider counts them; 0 where nothing is carried over. */
export function ledgerLimit({ session, services }: Hook): number {
  if (!carriesOver(services)) return 0;
  const { thresholds } = limitsOf(session, services);
  return Math.floor(services.settings.ledger.share * thresholds.orange * session.maxTokens);
}

/** Tokens of the ledger as it stands, uncalibrated. */
export function ledgerTokens(session: Session): number {
  return ledgerMessages(session).reduce((sum, message) => sum + tokensOfMessage(message), 0);
}

/** Lines that stand in the ledger, of those with which the block arrived. */
export function linesCarried({ session, services }: Hook, blockId: string): number {
  const rows = new Set([...rowsOf(session, session.ledger.stable), ...rowsOf(session, session.ledger.fresh)]);
  if (rows.size === 0) return 0;
  services.analysis.readBlocks();
  return [...services.analysis.book.linesWith(blockId)].filter(({ text }) => rows.has(text.trimStart())).length;
}

/** Rows of the ledger as it stands, by segment. */
export function ledgerRows(session: Session): {
  readonly stable: readonly string[];
  readonly fresh: readonly string[];
} {
  return { stable: rowsOf(session, session.ledger.stable), fresh: rowsOf(session, session.ledger.fresh) };
}

/**
 * Chooses anew, within `limit` uncalibrated tokens (where the stable segment stays, `most`), what is carried over of
 * all that the context does not show, and puts it behind the message `head`. The stable segment keeps its message, and
 * so the provider's cached prefix, while it is good enough.
 */
export function rebuildLedger(hook: Hook, passId: string, limit: number, most: number, head: string | null): void {
  const { session } = hook;
  const before = ledgerTokens(session);
  const choice = choiceOf(hook, limit, most);
  const { stable, fresh } = session.ledger;
  if (choice.stable.length + choice.fresh.length === 0 && stable === null && fresh === null) return;
  const rawBefore = session.rawTokens;
  const isInView = isBehind(session, head, session.messageById.get(stable ?? ""));
  const keeps = stable !== null && !choice.renewed && isInView;
  const stableId = keeps ? stable : addSegment(hook, "stable", choice.stable, head);
  const freshId = addSegment(hook, "fresh", choice.fresh, stableId ?? head);
  const added = session.rawTokens - rawBefore;
  const removed = [keeps ? null : stable, fresh].filter((id) => id !== null);
  const removedTokens = removed.reduce((sum, id) => sum + tokensOfMessage(session.messageById.get(id)), 0);
  hook.emit("ledger.rebuilt", {
    pass_id: passId,
    stable_message_id: stableId,
    fresh_message_id: freshId,
    removed_message_ids: removed,
    stable_kept: keeps,
    lines: choice.stable.length + choice.fresh.length,
    candidates: choice.candidates,
    tokens_before: before,
    tokens_after: before - removedTokens + added,
    tokens_added: added,
    expected_need: choice.score,
    entries: entriesOf(session, choice),
    cut_off: choice.cutOff,
  });
}

/** The rows' sources. Those of a stable segment that stays are what they were: its lines may be forgotten since. */
function entriesOf({ ledger }: Session, choice: LedgerChoice): LedgerEntry[] {
  const { stableEntries = [] } = ledger;
  const isKnown = !choice.renewed && stableEntries.length === choice.stable.length;
  const entry = (segment: SegmentName, { place, need }: RowSource): LedgerEntry => ({
    segment,
    block_id: place?.blockId ?? null,
    line: place?.line ?? null,
    need,
  });
  const stable = isKnown ? stableEntries : choice.stableSources.map((source) => entry("stable", source));
  return [...stable, ...choice.freshSources.map((source) => entry("fresh", source))];
}

function choiceOf(hook: Hook, limit: number, most: number): LedgerChoice {
  const { session, services } = hook;
  const { ledger } = services.settings;
  services.analysis.readBlocks();
  const frames = frameTokens(hook, "stable") + frameTokens(hook, "fresh");
  return chooseLedger(
    {
      view: new PassView(services.analysis.book),
      model: services.needModel,
      tokensOf: (row) => services.countText(`${row}\n`),
      // Regret by tool is no factor here: on families held out from training, raising lines by it cost recall.
      factor: () => 1,
    },
    {
      tokens: limit - frames,
      mostTokens: most - frames,
      stableShare: ledger.stable_share,
      refreshBelow: ledger.refresh_below,
      leastNeed: ledger.least_need / session.maxTokens,
    },
    ledgerRows(session).stable,
  );
}

/** Tokens of a segment beside its rows. */
function frameTokens(hook: Hook, segment: SegmentName): number {
  return tokensOfText(hook, ledgerText(segment, [], BLANK_MARK));
}

/** Adds the message of a segment; answers its id, null when it has no rows. */
function addSegment(hook: Hook, segment: SegmentName, rows: readonly string[], after: string | null): string | null {
  if (rows.length === 0) return null;
  return addOwnMessage(hook, ledgerText(segment, rows, markOf(hook.session, rows.join("\n"))), "summary", after);
}

/** Messages of the ledger. */
export function ledgerMessages(session: Session): ManagedMessage[] {
  return [session.ledger.stable, session.ledger.fresh].flatMap((id) => session.messageById.get(id ?? "") ?? []);
}

function rowsOf(session: Session, messageId: string | null): string[] {
  const block = session.messageById.get(messageId ?? "")?.blocks[0];
  return block ? rowsOfLedger(textOf(block.part)) : [];
}
