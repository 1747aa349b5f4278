import { type Candidate, findCandidates, type ScoreFactor } from "./candidates.ts";
import { Coverage, choose, coveredScore } from "./choice.ts";
import type { NeedModel } from "./need-model.ts";
import type { PassView } from "./pass-view.ts";
import type { Place } from "./place.ts";
import type { Line } from "./vocabulary.ts";

export interface LedgerLimits {
  /** Tokens that the rows are to take. */
  readonly tokens: number;
  /** Tokens up to which a stable segment that is good enough may stay, though it takes more than that. */
  readonly mostTokens: number;
  /** Share of them that the stable segment may take. */
  readonly stableShare: number;
  /** The stable segment is chosen anew when it covers less than this share of what a new one would. */
  readonly refreshBelow: number;
  /** A row must be expected to meet more than this weight of needs for each of its tokens. */
  readonly leastNeed: number;
}

export interface LedgerSources {
  readonly view: PassView;
  readonly model: NeedModel;
  /** Tokens of a row. */
  tokensOf(row: string): number;
  readonly factor: ScoreFactor;
}

/** Where a row comes from, and what was expected of it. */
export interface RowSource {
  /** null: not known any more. */
  readonly place: Place | null;
  /** Expected weight of the needs that it meets, by the model; null where it was not scored. */
  readonly need: number | null;
}

/** Lines to carry over, in two segments: the first stays as it is from pass to pass while it is good enough. */
export interface LedgerChoice {
  readonly stable: readonly string[];
  /** False when the stable segment is the one given. */
  readonly renewed: boolean;
  readonly fresh: readonly string[];
  /** Sources of the rows, one by one. */
  readonly stableSources: readonly RowSource[];
  readonly freshSources: readonly RowSource[];
  /**
   * The lowest need among the lines that stand in the ledger, where others were left out; null where none was. Lines are
   * taken by need for their tokens, so that one which was left out may have had more.
   */
  readonly cutOff: number | null;
  /** Lines looked at. */
  readonly candidates: number;
  /** Expected weight of needs that the ledger meets. */
  readonly score: number;
}

/**
 * Chooses the rows of a ledger of everything that is hidden. `stable`: rows of the segment that stands now. The stable
 * segment, which stands first, keeps the provider's cached prefix; the other is chosen behind it for what it leaves.
 * Rows stand in the order of their sources.
 */
export function chooseLedger(sources: LedgerSources, limits: LedgerLimits, stable: readonly string[]): LedgerChoice {
  const { view, model, tokensOf, factor } = sources;
  const least = limits.leastNeed;
  const candidates = findCandidates(view, model, tokensOf, factor);
  const byLine = new Map(candidates.map((candidate) => [candidate.line, candidate]));
  const standing = candidatesOf(stable, view, byLine);
  const renewal = choose(candidates, { tokens: Math.floor(limits.tokens * limits.stableShare), least }, new Coverage());
  const standingTokens = stable.reduce((sum, row) => sum + tokensOfRow(row, sources), 0);
  const keeps =
    stable.length > 0 &&
    standingTokens <= limits.mostTokens &&
    coveredScore(standing) >= limits.refreshBelow * coveredScore(renewal);
  const kept = keeps ? standing : renewal;
  const chosen = keeps ? null : inOrder(renewal);
  const rows = chosen === null ? stable : rowsOf(chosen);
  const used = rows.reduce((sum, row) => sum + tokensOfRow(row, sources), 0);
  const coverage = new Coverage();
  const stableScore = coveredScore(kept, coverage);
  const taken = new Set(kept);
  const others = candidates.filter((candidate) => !taken.has(candidate));
  const fresh = inOrder(choose(others, { tokens: limits.tokens - used, least }, coverage));
  const cutOff = cutOffOf([...kept, ...fresh], candidates.length);
  for (const { line, score } of candidates) line.estimate = { need: score, cutOff };
  return {
    stable: rows,
    renewed: !keeps,
    fresh: rowsOf(fresh),
    stableSources: chosen === null ? stable.map((row) => sourceOfRow(row, view, byLine)) : sourcesOf(chosen, view),
    freshSources: sourcesOf(fresh, view),
    cutOff,
    candidates: candidates.length,
    score: stableScore + fresh.reduce((sum, candidate) => sum + candidate.score, 0),
  };
}

function candidatesOf(
  rows: readonly string[],
  { book }: PassView,
  byLine: ReadonlyMap<Line, Candidate>,
): readonly Candidate[] {
  return rows.flatMap((row) => {
    const line = book.vocabulary.find(row);
    const candidate = line && byLine.get(line);
    return candidate ? [candidate] : [];
  });
}

function tokensOfRow(row: string, { view, tokensOf }: LedgerSources): number {
  const line = view.book.vocabulary.find(row);
  if (!line || line.tokens < 0) return tokensOf(row);
  return line.tokens;
}

/** In the order in which their newest sources stand. */
function inOrder(candidates: readonly Candidate[]): Candidate[] {
  return [...candidates].sort((a, b) => a.line.entry - b.line.entry || a.line.before - b.line.before);
}

function rowsOf(candidates: readonly Candidate[]): string[] {
  return candidates.map(({ line }) => line.text.trimStart());
}

function sourcesOf(candidates: readonly Candidate[], { book }: PassView): RowSource[] {
  return candidates.map(({ line, score }) => ({ place: book.placeOf(line), need: score }));
}

/** Of a row that stands already, whose line may be shown again, or forgotten. */
function sourceOfRow(row: string, { book }: PassView, byLine: ReadonlyMap<Line, Candidate>): RowSource {
  const line = book.vocabulary.find(row);
  return { place: line ? book.placeOf(line) : null, need: (line && byLine.get(line)?.score) ?? null };
}

function cutOffOf(carried: readonly Candidate[], candidates: number): number | null {
  if (carried.length === 0 || carried.length >= candidates) return null;
  return carried.reduce((least, { score }) => Math.min(least, score), Number.POSITIVE_INFINITY);
}
