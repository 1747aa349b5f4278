import { findRules } from "../../compression/index.ts";
import type { Hook } from "../hook.ts";
import { currentTokens, limitsOf } from "../measure.ts";
import type { Session } from "../session.ts";
import { carriedLimit } from "./carried.ts";
import { missingConstraints } from "./constraints.ts";
import { type Dropped, rewriteSummary, summaryLimit, summaryMessage } from "./history-summary.ts";
import { ledgerLimit, ledgerMessages, ledgerTokens, rebuildLedger } from "./ledger.ts";
import { headOf, isBehind, tokensOfMessage } from "./own-message.ts";
import type { PassDemand } from "./pass-plan.ts";
import { rewriteStanding, type StandingForm, standingOf } from "./standing.ts";

/** Share of the trigger level up to which what is carried over may take the context beyond the target. */
const CEILING = 0.85;
/** Share of its limit that the ledger gets even above that. */
const LEAST_CARRIED = 0.4;
const NOTHING_DROPPED: Dropped = { passages: [], prepared: null };

/** Whether a pass of this kind writes anew what stands behind the task. */
export function carriesOver(hook: Hook, { only }: Pick<PassDemand, "only">): boolean {
  return only === undefined && carriedLimit(hook) > 0;
}

/**
 * Writes anew what is carried over of all that has left: first the rules that nothing shows any more, with the notes and
 * the task's state, then the summary, then the ledger in the room that is left of what the last two may take.
 *
 * In the context the ledger stands first: its stable segment is a large part of what the provider's cache can hold, and
 * would be taken in anew behind what changes more often than it.
 */
export function carryOver(
  hook: Hook,
  passId: string,
  demand: PassDemand,
  dropped: Dropped,
  standing?: StandingForm,
): void {
  const { session, services } = hook;
  const head = headOf(session);
  // Where the provider has summarised since, what was written before stands hidden, and moves behind its summary.
  const behindLedger = ledgerMessages(session).findLast((message) => isBehind(session, head, message))?.id ?? head;
  rewriteStanding(hook, passId, missingConstraints(session, dropped.passages, findRules), behindLedger, standing);
  if (!carriesOver(hook, demand)) return;
  if (writesSummary(hook, demand, dropped) || !isBehind(session, head, summaryMessage(session))) {
    const limit = Math.min(summaryLimit(hook), summaryRoom(hook, demand));
    const told = skipsSummary(hook, demand) ? NOTHING_DROPPED : dropped;
    rewriteSummary(hook, passId, told, limit, standingOf(session)?.id ?? behindLedger);
  }
  if (ledgerLimit(hook) === 0) return;
  const { wanted, most } = ledgerRoom(hook, demand);
  const { calibration } = services;
  rebuildLedger(hook, passId, Math.floor(wanted / calibration), Math.floor(most / calibration), head);
}

/** A pass that dropped nothing leaves the summary as it is, unless it is in the way. */
function writesSummary(hook: Hook, demand: PassDemand, { passages }: Dropped): boolean {
  if (summaryLimit(hook) === 0) return false;
  if (summaryIsInTheWay(hook, demand)) return true;
  return passages.length > 0 && !skipsSummary(hook, demand);
}

/** Where an emergency writes no summary, one that is in the way still gives way. A window's end always writes one. */
function skipsSummary({ services }: Hook, { protection, cause }: PassDemand): boolean {
  return cause !== "window" && protection === "emergency" && services.settings.compaction.skip_in_emergency;
}

/** True where what is carried over stands above where the pass must go, so that it has to give way. */
export function mustShrinkCarried(hook: Hook, demand: PassDemand): boolean {
  if (!carriesOver(hook, demand)) return false;
  if (summaryIsInTheWay(hook, demand)) return true;
  return ledgerTokens(hook.session) * hook.services.calibration > Math.max(0, ledgerRoom(hook, demand).most);
}

/** The ledger gives way before the summary: little of a summary frees little, and tells much. */
function summaryIsInTheWay(hook: Hook, demand: PassDemand): boolean {
  return tokensOfMessage(summaryMessage(hook.session)) > summaryRoom(hook, demand);
}

/** Where the context must get small, the target is the limit of everything. A new window has room, whatever it keeps. */
function mustBeSmall({ cause, protection }: PassDemand): boolean {
  return cause === "overflow" || (protection !== "normal" && cause !== "window");
}

/**
 * Uncalibrated tokens that the summary may take: what the window holds beside the answer's room, and in the last resort
 * what the provider has not refused.
 */
function summaryRoom({ session, services }: Hook, { cause, protection, targetTokens }: PassDemand): number {
  const refused = cause === "overflow" && protection === "emergency";
  const most = refused ? targetTokens : session.maxTokens - limitsOf(session, services).reserve;
  const base = currentTokens(session, services).tokens / services.calibration - carriedNow(session);
  return Math.max(0, Math.floor(most / services.calibration - base));
}

function carriedNow(session: Session): number {
  return ledgerTokens(session) + tokensOfMessage(summaryMessage(session));
}

/**
 * Tokens that the ledger is to take and those that it may take at most, as the provider counts them; may be below 0. What
 * must stay may leave no room for it below the target: it then goes beyond, but little of that where the next pass would
 * come soon, and never to the level at which it begins: where what must stay is above that, as behind a spike, no line
 * stays for a turn. A share of the ledger kept up to red there gained no recall on recorded runs, and took more prompts
 * beyond the level. Where the context must get small, the target is the limit. The summary's tokens are taken from the
 * ledger's.
 */
function ledgerRoom(hook: Hook, demand: PassDemand): { readonly wanted: number; readonly most: number } {
  const { session, services } = hook;
  const summary = tokensOfMessage(summaryMessage(session)) * services.calibration;
  const { upTo, ledger } = demand.carry ?? { upTo: limitsOf(session, services).thresholds.orange, ledger: 1 };
  const carried = Math.max(0, Math.min(ledgerLimit(hook) * ledger, demand.targetTokens) - summary);
  const base = currentTokens(session, services).tokens - ledgerTokens(session) * services.calibration;
  const below = demand.targetTokens - base;
  if (mustBeSmall(demand)) return { wanted: Math.min(carried, below), most: below };
  const trigger = upTo * session.maxTokens;
  const beyond = Math.min(carried, Math.max(LEAST_CARRIED * carried, CEILING * trigger - base));
  const most = Math.ceil(trigger) - 1 - base;
  return { wanted: Math.min(Math.max(below, beyond), most), most };
}
