import type { Block } from "../model/block.ts";
import { ContextdError } from "../model/errors.ts";
import type { Unit } from "../model/unit.ts";
import { isMergeable, type MergeSettings } from "./merge.ts";
import { PLACEHOLDER_TOKENS } from "./placeholder.ts";
import type { Protection } from "./protection.ts";
import type { Score, Scorer, ScoringView } from "./scorer.ts";

/** Call arguments below this many tokens are not worth a placeholder. */
const CLEARED_INPUT_TOKENS = 60;
/** What a part costs beside its text (ids, names, wire form), at most, as long as it is only estimated. */
const PART_TOKENS = 16;
/** Tokens of a block of which a placeholder surely saves some. */
const CLEARED_TOKENS = PLACEHOLDER_TOKENS + PART_TOKENS;
/** Tokens of a merge text without its differing lines, estimated. */
const MERGED_TOKENS = 40 + PART_TOKENS;

export type PlannedMethod = "merge" | "clear" | "clear_input" | "drop";

/** How much an edit takes away from the agent: the lesser goes first where scores tie. */
const METHOD_RANK: Readonly<Record<PlannedMethod, number>> = { merge: 0, clear: 1, clear_input: 2, drop: 3 };

/** A possible edit with its worth. Token figures are estimates until the edit is chosen. */
export interface Candidate {
  readonly method: PlannedMethod;
  readonly unit: Unit;
  /** Place of the unit in the context. */
  readonly unitIndex: number;
  /** The block edited; null when the whole unit goes. */
  readonly block: Block | null;
  /** Running number of the block among all blocks of the context; -1 when the whole unit goes. */
  readonly blockIndex: number;
  /** Tokens of the context before the first token that changes. */
  readonly position: number;
  /** 0 to 1: worth lost per token freed. */
  readonly score: number;
  readonly rule: string;
  /** What the score is made of; of a drop the mean over its blocks, by tokens. */
  parts(): Readonly<Record<string, number>>;
  /** True for a unit that holds a user's words: it goes after everything else. */
  readonly last: boolean;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The block that a merge points to, and how alike the two are. */
  readonly into: { readonly block: Block; readonly similarity: number } | null;
}

export interface CandidateSources {
  readonly units: readonly Unit[];
  readonly protection: Protection;
  readonly merge: MergeSettings;
  readonly view: ScoringView;
}

export interface Candidates {
  /** Best to edit first. */
  readonly ordered: readonly Candidate[];
  readonly blockCount: number;
  readonly unitCount: number;
  /** Tokens of all blocks of the context. */
  readonly totalTokens: number;
}

/** Finds and orders every edit that the scorer's actions and the protection allow and that frees tokens. */
export function findCandidates(sources: CandidateSources, scorer: Scorer): Candidates {
  const found: Candidate[] = [];
  const blockOf = lookupOf(sources.units);
  let blockCount = 0;
  let totalTokens = 0;
  sources.units.forEach((unit, unitIndex) => {
    const firstBlock = blockCount;
    const position = totalTokens;
    for (const block of unit.blocks) totalTokens += block.tokens;
    blockCount += unit.blocks.length;
    addUnit(found, sources, scorer, blockOf, { unit, unitIndex, firstBlock, position });
  });
  return { ordered: found.sort(byLoss), blockCount, unitCount: sources.units.length, totalTokens };
}

type BlockLookup = (blockId: string) => Block | undefined;

/** Finds blocks by id; indexes them at the first question, since most passes ask none. */
function lookupOf(units: readonly Unit[]): BlockLookup {
  let blocks: Map<string, Block> | null = null;
  return (blockId) => {
    if (blocks === null) {
      blocks = new Map();
      for (const unit of units) for (const block of unit.blocks) blocks.set(block.id, block);
    }
    return blocks.get(blockId);
  };
}

interface Place {
  readonly unit: Unit;
  readonly unitIndex: number;
  readonly firstBlock: number;
  readonly position: number;
}

function addUnit(
  found: Candidate[],
  { protection, merge, view }: CandidateSources,
  scorer: Scorer,
  blockOf: BlockLookup,
  { unit, unitIndex, firstBlock, position }: Place,
): void {
  const clears = scorer.actions.includes("clear");
  const clearsInput = scorer.actions.includes("clear_input");
  const drops = scorer.actions.includes("drop") && !protection.keepsUnit(unit);
  const last = unit.blocks.some((block) => block.type === "user_message");
  const scores: Score[] = [];
  let before = position;
  unit.blocks.forEach((block, index) => {
    const at = before;
    before += block.tokens;
    if (protection.ruleOf(block.id) !== null) return;
    const method =
      clears && isClearable(block) ? "clear" : clearsInput && isInputClearable(block) ? "clear_input" : null;
    const into = clears && merge.enabled ? twinOf(block, merge, view, blockOf) : null;
    if (!drops && method === null && into === null) return;

    const score = scoreOf(scorer, block, view);
    scores.push(score);
    if (method === null && into === null) return;
    const place = { unit, unitIndex, last, block, blockIndex: firstBlock + index, position: at };
    if (into !== null) found.push(new BlockEdit("merge", place, score, into));
    if (method !== null) found.push(new BlockEdit(method, place, score, null));
  });
  // A unit that may be dropped has no protected block: all its blocks were scored.
  if (drops && before > position) found.push(new Drop({ unit, unitIndex, last, position }, scores, before - position));
}

interface BlockPlace {
  readonly unit: Unit;
  readonly unitIndex: number;
  readonly last: boolean;
  readonly block: Block;
  readonly blockIndex: number;
  readonly position: number;
}

class BlockEdit implements Candidate {
  readonly method: PlannedMethod;
  readonly unit: Unit;
  readonly unitIndex: number;
  readonly block: Block;
  readonly blockIndex: number;
  readonly position: number;
  readonly score: number;
  readonly rule: string;
  readonly last: boolean;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly into: Candidate["into"];
  readonly #parts: Readonly<Record<string, number>>;
  /** Share of the worth that the edit loses: all of it, or of a merge what is not alike. */
  readonly #lost: number;

  constructor(method: PlannedMethod, place: BlockPlace, score: Score, into: Candidate["into"]) {
    this.#lost = into === null ? 1 : 1 - into.similarity;
    this.#parts = score.parts;
    this.method = method;
    this.unit = place.unit;
    this.unitIndex = place.unitIndex;
    this.block = place.block;
    this.blockIndex = place.blockIndex;
    this.position = place.position;
    this.score = score.score * this.#lost;
    this.rule = into === null ? score.rule : "merge.near_duplicate";
    this.last = place.last;
    this.tokensBefore = place.block.tokens;
    this.tokensAfter = into === null ? CLEARED_TOKENS : MERGED_TOKENS + Math.ceil(this.#lost * place.block.tokens);
    this.into = into;
  }

  parts(): Readonly<Record<string, number>> {
    if (this.#lost === 1) return this.#parts;
    return Object.fromEntries(Object.entries(this.#parts).map(([name, value]) => [name, value * this.#lost]));
  }
}

class Drop implements Candidate {
  readonly method = "drop";
  readonly unit: Unit;
  readonly unitIndex: number;
  readonly block = null;
  readonly blockIndex = -1;
  readonly position: number;
  /** The mean of the blocks' scores, by tokens. */
  readonly score: number;
  /** That of the largest block. */
  readonly rule: string;
  readonly last: boolean;
  readonly tokensBefore: number;
  readonly tokensAfter = 0;
  readonly into = null;
  /** Of each block of the unit. */
  readonly #scores: readonly Score[];

  constructor(
    place: { readonly unit: Unit; readonly unitIndex: number; readonly last: boolean; readonly position: number },
    scores: readonly Score[],
    tokens: number,
  ) {
    const first = scores[0] as Score;
    let score = first.score;
    let largest = 0;
    place.unit.blocks.forEach((block, index) => {
      const own = scores[index] as Score;
      // As a difference from the first, so that equal scores stay exactly equal and tie with the unit's clears.
      score += ((own.score - first.score) * block.tokens) / tokens;
      if (block.tokens > (place.unit.blocks[largest]?.tokens ?? 0)) largest = index;
    });
    this.#scores = scores;
    this.unit = place.unit;
    this.unitIndex = place.unitIndex;
    this.position = place.position;
    this.score = Math.min(1, Math.max(0, score));
    this.rule = (scores[largest] as Score).rule;
    this.last = place.last;
    this.tokensBefore = tokens;
  }

  parts(): Readonly<Record<string, number>> {
    const parts: Record<string, number> = {};
    this.unit.blocks.forEach((block, index) => {
      const share = block.tokens / this.tokensBefore;
      for (const [name, value] of Object.entries(this.#scores[index]?.parts ?? {})) {
        parts[name] = (parts[name] ?? 0) + value * share;
      }
    });
    return parts;
  }
}

/** The newer block that this one can be merged into; null when there is none, or nothing would be saved. */
function twinOf(block: Block, merge: MergeSettings, view: ScoringView, blockOf: BlockLookup): Candidate["into"] {
  if (block.tokens <= MERGED_TOKENS || !isMergeable(block)) return null;
  const alike = view.similarity(block.id);
  if (alike === null || alike.score <= merge.threshold) return null;
  const twin = blockOf(alike.newerBlockId);
  if (twin === undefined || !isMergeable(twin)) return null;
  const saves = block.tokens * alike.score > MERGED_TOKENS + 1;
  return saves ? { block: twin, similarity: alike.score } : null;
}

function isClearable(block: Block): boolean {
  return block.part.kind === "tool_result" && block.state !== "cleared" && block.tokens > CLEARED_TOKENS;
}

function isInputClearable(block: Block): boolean {
  const most = CLEARED_INPUT_TOKENS + PART_TOKENS;
  return block.part.kind === "tool_call" && block.state !== "cleared" && block.tokens > most;
}

function scoreOf(scorer: Scorer, block: Block, view: ScoringView): Score {
  const score = scorer.score(block, view);
  if (score.score >= 0 && score.score <= 1) return score;
  throw new ContextdError(
    "internal_error",
    `The scorer ${scorer.name} scored block ${block.id} ${score.score}; a score is a number from 0 to 1.`,
    { scorer: scorer.name, block_id: block.id },
  );
}

function byLoss(a: Candidate, b: Candidate): number {
  if (a.last !== b.last) return a.last ? 1 : -1;
  if (a.score !== b.score) return a.score - b.score;
  if (a.method !== b.method) return METHOD_RANK[a.method] - METHOD_RANK[b.method];
  return a.position - b.position || a.blockIndex - b.blockIndex || a.unitIndex - b.unitIndex;
}
