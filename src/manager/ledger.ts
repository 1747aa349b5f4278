import {
  chooseLedger,
  type LedgerChoice,
  ledgerText,
  PassView,
  rowsOfLedger,
  type SegmentName,
} from "../ledger/index.ts";
import { contentHash } from "../model/content-hash.ts";
import { textOf } from "../model/part.ts";
import type { Hook, Services } from "./hook.ts";
import { limitsOf } from "./measure.ts";
import type { ManagedMessage, Session } from "./session.ts";

/** Characters of a segment's mark. */
const MARK = 6;

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
  return segmentsOf(session).reduce((sum, message) => sum + tokensOfMessage(message), 0);
}

/** Blocks of the ledger. */
export function ledgerBlocks(session: Session): string[] {
  return segmentsOf(session).flatMap(({ blocks }) => blocks.map(({ id }) => id));
}

/** Lines that stand in the ledger, of those with which the block arrived. */
export function linesCarried({ session, services }: Hook, blockId: string): number {
  const rows = new Set([...rowsOf(session, session.ledger.stable), ...rowsOf(session, session.ledger.fresh)]);
  if (rows.size === 0) return 0;
  services.analysis.readBlocks();
  return [...services.analysis.book.linesWith(blockId)].filter(({ text }) => rows.has(text.trimStart())).length;
}

/** Rows of the ledger as it stands, by segment. */
function ledgerRows(session: Session): {
  readonly stable: readonly string[];
  readonly fresh: readonly string[];
} {
  return { stable: rowsOf(session, session.ledger.stable), fresh: rowsOf(session, session.ledger.fresh) };
}

/**
 * Chooses anew, within `limit` uncalibrated tokens (where the stable segment stays, `most`), what is carried over of all that the context does not show, and
 * puts it right behind the task. The stable segment keeps its message, and so the provider's cached prefix, while it
 * is good enough.
 */
export function rebuildLedger(hook: Hook, passId: string, limit: number, most: number): void {
  const { session } = hook;
  const before = ledgerTokens(session);
  const choice = choiceOf(hook, limit, most);
  const { stable, fresh } = session.ledger;
  if (choice.stable.length + choice.fresh.length === 0 && stable === null && fresh === null) return;
  const rawBefore = session.rawTokens;
  const task = session.messages.find(({ role, source, gone }) => role === "user" && source === "agent" && !gone);
  const head = task ?? session.messages.filter(({ role, gone }) => role === "system" && !gone).at(-1);
  const keeps = stable !== null && !choice.renewed;
  const stableId = keeps ? stable : addSegment(hook, "stable", choice.stable, head);
  const freshId = addSegment(hook, "fresh", choice.fresh, head, stableId ?? head?.id);
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
  });
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
function frameTokens({ services }: Hook, segment: SegmentName): number {
  const { role, envelope, parts } = services.format.compose("user", ledgerText(segment, [], "0".repeat(MARK)));
  return parts.reduce((sum, part) => sum + services.countPart(part).tokens, services.messageOverhead(role, envelope));
}

/** Adds the message of a segment; answers its id, null when it has no rows. */
function addSegment(
  hook: Hook,
  segment: SegmentName,
  rows: readonly string[],
  head: ManagedMessage | undefined,
  after: string | null = head?.id ?? null,
): string | null {
  const { session, services } = hook;
  if (rows.length === 0) return null;
  // Who wrote one of the rows knows neither the others nor the task, and so not what ends them.
  const mark = contentHash(`${head?.digest}\n${rows.join("\n")}`).slice(0, MARK);
  const { role, envelope, parts } = services.format.compose("user", ledgerText(segment, rows, mark));
  const id = `m${session.nextMessage}`;
  hook.emit("message.added", {
    message_id: id,
    role,
    turn: session.turn,
    envelope,
    source: "contextd",
    overhead_tokens: services.messageOverhead(role, envelope),
    digest: "",
    after,
  });
  const unit = session.nextUnit;
  for (const part of parts) hook.addBlock(id, unit, "summary", part, null);
  return id;
}

function segmentsOf(session: Session): ManagedMessage[] {
  return [session.ledger.stable, session.ledger.fresh].flatMap((id) => session.messageById.get(id ?? "") ?? []);
}

function rowsOf(session: Session, messageId: string | null): string[] {
  const block = session.messageById.get(messageId ?? "")?.blocks[0];
  return block ? rowsOfLedger(textOf(block.part)) : [];
}

function tokensOfMessage(message: ManagedMessage | undefined): number {
  return message ? message.blocks.reduce((sum, block) => sum + block.tokens, message.overheadTokens) : 0;
}
