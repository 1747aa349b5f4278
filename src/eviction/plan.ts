import type { Block } from "../model/block.ts";
import type { GateFigures } from "../model/events.ts";
import type { Unit } from "../model/unit.ts";
import { type Candidate, findCandidates, type PlannedMethod } from "./candidates.ts";
import { type CachePrices, gateFigures, paysBack } from "./gate.ts";
import { type MergeSettings, mergeText } from "./merge.ts";
import { placeholder } from "./placeholder.ts";
import type { Protection } from "./protection.ts";
import type { Scorer } from "./scorer.ts";
import { type ScoringSources, scoringView } from "./scoring-view.ts";
import { type Selection, type SelectionLimits, Selector } from "./selection.ts";

/** What a pass reads. Nothing of it is changed. */
export interface EvictionContext extends ScoringSources {
  readonly protection: Protection;
  readonly merge: MergeSettings;
  /** True when the agent has a recall tool or said that it can use handles. */
  readonly canRecall: boolean;
  /** Tokens of a text. */
  count(text: string): number;
  /** Tokens of the block if its text were this: what `apply` will count for the replacing part. */
  tokensWith(block: Block, text: string): number;
}

export interface EvictionDemand {
  readonly tokensToFree: number;
  readonly prices: CachePrices;
  readonly expectedRemainingTurns: number;
  /** A pass frees at least this much, or an unforced one does not happen. */
  readonly minTokensFreed: number;
  /** True in orange and red: the pass happens. False in green and yellow: the gate may refuse it. */
  readonly forced: boolean;
  /** The ledger before all units is written anew with the pass: nothing behind it stays in the provider's cache. */
  readonly rewritesAll?: boolean;
}

/** One edit as data. */
export interface PlannedEdit {
  readonly method: PlannedMethod;
  /** The edited block; all blocks of the unit when it is dropped. */
  readonly blockIds: readonly string[];
  readonly unitId: number;
  readonly score: number;
  readonly scoreParts: Readonly<Record<string, number>>;
  readonly rule: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The placeholder or merge text; null when nothing stays. */
  readonly replacementText: string | null;
  /** Of a merge: the block that holds the same content. */
  readonly intoBlockId: string | null;
  readonly similarity: number | null;
}

/** Why an unforced pass, or one that can do nothing, does not happen: a closed set. */
type RefusalReason = "no_demand" | "no_candidates" | "min_tokens_freed" | "break_even";

export interface EvictionPlan {
  /** In the order of the context. Empty when refused. */
  readonly edits: readonly PlannedEdit[];
  /** Sum over the edits; may be less than the demand when there is no more to free at this protection. */
  readonly tokensFreed: number;
  /** Tokens that all candidates together would free: what is left is the floor at this protection. */
  readonly tokensFreeable: number;
  /** Figures of the pass as it is, or as it would have been had it not been refused; null without candidates. */
  readonly gate: GateFigures | null;
  /** Figures of a pass half as deep, for comparison; null without candidates, or where one would free as much. */
  readonly shallower: GateFigures | null;
  readonly refused: RefusalReason | null;
  /** Every possible edit, best first, with estimated tokens after. */
  readonly ranked: readonly Candidate[];
}

/**
 * Plans one eviction pass: which edits free the demand at the least loss, and whether they pay. Pure, deterministic,
 * near linear in the live blocks. Throws internal_error when a scorer answers anything but a number from 0 to 1.
 */
export function planEviction(context: EvictionContext, scorer: Scorer, demand: EvictionDemand): EvictionPlan {
  const candidates = findCandidates({ ...context, view: scoringView(context) }, scorer);
  const selector = new Selector(candidates);
  const exhaustsZero = scorer.exhaustsZero ?? false;
  const everything = selector.choose({ exhaustsZero, tokensToFree: Number.POSITIVE_INFINITY });
  const outcome = { tokensFreeable: everything.tokensFreed, ranked: candidates.ordered };
  const refuse = (refused: RefusalReason, gate: GateFigures | null, shallower: GateFigures | null): EvictionPlan => ({
    ...outcome,
    edits: [],
    tokensFreed: 0,
    gate,
    shallower,
    refused,
  });
  if (demand.tokensToFree <= 0) return refuse("no_demand", null, null);

  const tokensToFree = Math.max(demand.tokensToFree, demand.minTokensFreed);
  const limits = { exhaustsZero, tokensToFree };
  const position = scorer.depth === "minimal" || demand.rewritesAll ? 0 : selector.bestPosition(limits);
  const realised = realise(context, selector, limits, position);
  if (realised.edits.length === 0) return refuse("no_candidates", null, null);

  const figures = (tokensFreed: number, firstPosition: number) =>
    gateFigures({
      prices: demand.prices,
      tokensFreed,
      tokensRewritten: Math.max(0, candidates.totalTokens - firstPosition - tokensFreed),
      expectedRemainingTurns: demand.expectedRemainingTurns,
      decided: !demand.forced,
    });
  const gate = figures(realised.tokensFreed, realised.firstPosition);
  const half = halfAsDeep(selector, limits, position, realised);
  const shallower = half && figures(half.tokensFreed, half.firstPosition);
  if (!demand.forced && realised.tokensFreed < demand.minTokensFreed)
    return refuse("min_tokens_freed", gate, shallower);
  if (!demand.forced && !paysBack(gate)) return refuse("break_even", gate, shallower);
  return { ...outcome, edits: realised.edits, tokensFreed: realised.tokensFreed, gate, shallower, refused: null };
}

/**
 * What a pass that is asked for half of what this one frees would choose; null where it would take as much: one unit holds
 * more than is asked for, or all that scores 0 goes in any pass.
 */
function halfAsDeep(selector: Selector, limits: SelectionLimits, position: number, { tokensFreed }: Realised) {
  const asked = Math.min(limits.tokensToFree, tokensFreed) / 2;
  const half = selector.choose({ ...limits, tokensToFree: asked }, position);
  const whole = selector.choose(limits, position);
  return half.tokensFreed < Math.min(tokensFreed, whole.tokensFreed) ? half : null;
}

interface Realised {
  readonly edits: readonly PlannedEdit[];
  readonly tokensFreed: number;
  readonly firstPosition: number;
}

/**
 * Writes the texts of the chosen edits and counts them. Where the estimates were too good (a text saves nothing, a
 * merge's target goes too), the edit is banned or the demand raised, and the choice made again; each round bans at
 * least one candidate, raises the demand by more, or gives up the position, so it ends.
 */
function realise(
  context: EvictionContext,
  selector: Selector,
  { tokensToFree, exhaustsZero }: SelectionLimits,
  position: number,
): Realised {
  const texts = new Map<Candidate, Replacement | null>();
  let from = position;
  let asked = tokensToFree;
  for (let round = 0; ; round++) {
    const selection = selector.choose({ tokensToFree: asked, exhaustsZero }, from);
    const edited = editedBlocks(selection);
    const kept: { readonly candidate: Candidate; readonly replacement: Replacement | null }[] = [];
    let bannedNow = 0;
    let tokensFreed = 0;
    for (const candidate of selection.chosen) {
      if (!texts.has(candidate)) texts.set(candidate, replacementFor(candidate, context));
      const replacement = texts.get(candidate) ?? null;
      const impossible = candidate.block !== null && replacement === null;
      if (impossible || (candidate.into !== null && edited.has(candidate.into.block.id))) {
        selector.ban(candidate);
        bannedNow++;
        continue;
      }
      kept.push({ candidate, replacement });
      tokensFreed += candidate.tokensBefore - (replacement?.tokens ?? 0);
    }
    const short = tokensToFree - tokensFreed;
    if (short <= 0) return finish(kept, tokensFreed);
    if (bannedNow > 0) continue;
    if (selection.tokensFreed >= asked) asked += short * 2 ** round;
    else if (from > 0) from = 0;
    else return finish(kept, tokensFreed);
  }
}

function finish(
  kept: readonly { readonly candidate: Candidate; readonly replacement: Replacement | null }[],
  tokensFreed: number,
): Realised {
  const inContext = [...kept].sort(
    (a, b) => a.candidate.position - b.candidate.position || a.candidate.unitIndex - b.candidate.unitIndex,
  );
  return {
    edits: inContext.map(({ candidate, replacement }) => editOf(candidate, replacement)),
    tokensFreed,
    firstPosition: inContext[0]?.candidate.position ?? 0,
  };
}

interface Replacement {
  readonly text: string;
  readonly tokens: number;
}

/** The text that replaces the block and its tokens; null when there is none, or none that saves tokens. */
function replacementFor({ block, into, tokensBefore }: Candidate, context: EvictionContext): Replacement | null {
  if (block === null) return null;
  const text = into === null ? placeholder(block, context) : mergeText(block, into.block, context.canRecall);
  if (text === null) return null;
  const tokens = context.tokensWith(block, text);
  return tokens < tokensBefore ? { text, tokens } : null;
}

function editedBlocks(selection: Selection): Set<string> {
  const edited = new Set<string>();
  for (const { block, unit } of selection.chosen) {
    if (block !== null) edited.add(block.id);
    else for (const own of unit.blocks) edited.add(own.id);
  }
  return edited;
}

function editOf(candidate: Candidate, replacement: Replacement | null): PlannedEdit {
  const { block, unit, into } = candidate;
  return {
    method: candidate.method,
    blockIds: block === null ? blockIdsOf(unit) : [block.id],
    unitId: unit.id,
    score: candidate.score,
    scoreParts: candidate.parts(),
    rule: candidate.rule,
    tokensBefore: candidate.tokensBefore,
    tokensAfter: replacement?.tokens ?? 0,
    replacementText: replacement?.text ?? null,
    intoBlockId: into?.block.id ?? null,
    similarity: into?.similarity ?? null,
  };
}

function blockIdsOf(unit: Unit): readonly string[] {
  return unit.blocks.map((block) => block.id);
}
