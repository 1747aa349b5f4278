import type { ProtectionRule } from "../../eviction/index.ts";
import type { Hook } from "../hook.ts";
import { newestProviderSummary } from "../provider-edits.ts";
import type { Session } from "../session.ts";
import { summaryLimit, summaryMessage } from "./history-summary.ts";
import { ledgerLimit, ledgerMessages, ledgerTokens } from "./ledger.ts";
import { tokensOfMessage } from "./own-message.ts";
import { standingOf } from "./standing.ts";

/** Blocks that stay for what they are to contextd, by the rule that says so: its own messages behind the task above all. */
export function carriedBlocks(session: Session): Map<string, ProtectionRule> {
  const rules = new Map<string, ProtectionRule>();
  for (const { blocks } of ledgerMessages(session)) for (const { id } of blocks) rules.set(id, "protected.ledger");
  for (const { id } of summaryMessage(session)?.blocks ?? []) rules.set(id, "protected.summary");
  for (const { id } of standingOf(session)?.blocks ?? []) rules.set(id, "protected.standing");
  const provided = newestProviderSummary(session);
  if (provided) rules.set(provided.id, "protected.provider_summary");
  return rules;
}

/** Tokens that a pass leaves free for what it writes anew, as the provider counts them; 0 where it writes nothing. */
export function carriedLimit(hook: Hook): number {
  return Math.max(ledgerLimit(hook), Math.floor(summaryLimit(hook) * hook.services.calibration));
}

/** Tokens of what a pass writes anew, as it stands; uncalibrated. */
export function carriedTokens(session: Session): number {
  return ledgerTokens(session) + tokensOfMessage(summaryMessage(session));
}
