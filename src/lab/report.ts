import type { ZoneThresholds } from "../model/zone.ts";
import { type Estimate, estimate, type Sample } from "../replay/bootstrap.ts";
import type { LostNeeds } from "../replay/measure.ts";
import type { RunReport } from "../replay/replay.ts";
import { type ReplayRow, rowsOf } from "../replay/report-rows.ts";
import { samenessOf } from "../replay/sameness.ts";
import { LAB_FIGURE_NAMES, LAB_FIGURES, type LabFigureName } from "./figures.ts";

/** One policy: means over its runs with their 95 % intervals; null where no run has the figure. */
export interface PolicyScore extends Readonly<Record<LabFigureName, Estimate | null>> {
  readonly policy: string;
  readonly runs: number;
  readonly tokens_sent: number;
  /** How often each variant was the best; null where the policy is one. */
  readonly variants: Readonly<Record<string, number>> | null;
}

/**
 * `equal`: the interval of the difference holds 0. `unknown`: no run has the figure under both policies, or those that
 * have it are of one task, which is no evidence.
 */
export type PairVerdict = "better" | "worse" | "equal" | "unknown";

/** One figure of A and of B on the runs that both have, and B less A with its 95 % interval by paired bootstrap. */
export interface PairedFigure {
  readonly figure: LabFigureName;
  readonly better: "more" | "less";
  readonly a: number | null;
  readonly b: number | null;
  readonly difference: Estimate | null;
  /** Of B. */
  readonly verdict: PairVerdict;
}

/** One run: line recall and cost under A and under B. */
export interface LabRun {
  readonly id: string;
  readonly turns: number;
  readonly tokens: number;
  readonly window_tokens: number;
  readonly a: number | null;
  readonly b: number | null;
  /** B less A, of line recall. */
  readonly difference: number | null;
  readonly cost_a: number;
  readonly cost_b: number;
  /** Turns behind the first edit of either, and those of them in which both sent the same context. */
  readonly compared_turns: number;
  readonly same_turns: number;
}

/** One run under one policy, request by request; requests are numbered from 0. */
export interface LabTimeline {
  readonly policy: string;
  readonly variant: string | null;
  readonly line_recall: number | null;
  readonly relative_cost: number;
  /** Tokens of a request over the window: the mean and the most. */
  readonly mean_utilization: number;
  readonly peak_utilization: number;
  /** Of each request. */
  readonly tokens: readonly number[];
  /** Requests before which the context was edited. */
  readonly edits: readonly number[];
  readonly lost: readonly LostNeeds[];
  readonly window_tokens: number;
  /** Tokens at which the zones begin. */
  readonly thresholds: ZoneThresholds;
}

export interface TimelinePair {
  readonly a: LabTimeline;
  readonly b: LabTimeline;
}

/** What a replay of the lab found. */
export interface LabReport {
  readonly policies: readonly PolicyScore[];
  readonly pairs: readonly PairedFigure[];
  /** Worst for B first; runs without a difference last. */
  readonly runs: readonly LabRun[];
  readonly timelines: ReadonlyMap<string, TimelinePair>;
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
}

export interface ReportTerms {
  /** The first two are A and B. */
  readonly policies: readonly string[];
  /** Of the bootstrap; absent: the one of `contextd replay`. */
  readonly seed: number | undefined;
}

/** Sums up the replays of runs at one window: the same means and intervals as `contextd replay` tells. */
export function labReport({ policies, seed }: ReportTerms, runs: readonly RunReport[]): LabReport {
  const rows = rowsOf(runs);
  const [a = "", b = ""] = policies;
  const both = pairedRows(rows, a, b);
  return {
    policies: policies.map((policy) => scoreOf(policy, rows, seed)).filter((score) => score.runs > 0),
    pairs: LAB_FIGURE_NAMES.map((figure) => pairedFigure(figure, both, seed)),
    runs: both.map(labRun).sort((one, other) => rank(one) - rank(other)),
    timelines: new Map(both.map((pair) => [pair.a.run.id, { a: timelineOf(pair.a), b: timelineOf(pair.b) }])),
    skipped: runs.flatMap(({ id, skipped }) => skipped.map(({ reason }) => ({ id, reason }))),
  };
}

interface RowPair {
  readonly a: ReplayRow;
  readonly b: ReplayRow;
}

function pairedRows(rows: readonly ReplayRow[], a: string, b: string): RowPair[] {
  const ofB = new Map(rows.filter(({ policy }) => policy === b).map((row) => [row.run.id, row]));
  return rows.flatMap((row) => {
    const other = ofB.get(row.run.id);
    return row.policy === a && other !== undefined ? [{ a: row, b: other }] : [];
  });
}

function scoreOf(policy: string, rows: readonly ReplayRow[], seed: number | undefined): PolicyScore {
  const own = rows.filter((row) => row.policy === policy);
  const estimates = LAB_FIGURE_NAMES.map((figure) => {
    const samples = own.flatMap((row) => sample(row, LAB_FIGURES[figure].of(row)));
    return [figure, estimate(samples, seed)] as const;
  });
  return {
    policy,
    runs: own.length,
    tokens_sent: own.reduce((sum, { figures }) => sum + figures.tokensSent, 0),
    variants: variantsOf(own),
    ...(Object.fromEntries(estimates) as Record<LabFigureName, Estimate | null>),
  };
}

function pairedFigure(figure: LabFigureName, pairs: readonly RowPair[], seed: number | undefined): PairedFigure {
  const { of, better } = LAB_FIGURES[figure];
  const both = pairs.flatMap(({ a, b }) => {
    const [mine, theirs] = [of(a), of(b)];
    return mine === null || theirs === null ? [] : [{ task: a.task, a: mine, b: theirs }];
  });
  const mean = (of: (pair: { a: number; b: number }) => number) =>
    both.length === 0 ? null : both.reduce((sum, pair) => sum + of(pair), 0) / both.length;
  const difference = estimate(
    both.map(({ task, a, b }) => ({ task, value: b - a })),
    seed,
  );
  return {
    figure,
    better,
    a: mean((pair) => pair.a),
    b: mean((pair) => pair.b),
    difference,
    verdict: verdictOf(difference, better),
  };
}

/** The interval over one task is a point. */
function verdictOf(difference: Estimate | null, better: "more" | "less"): PairVerdict {
  if (difference === null) return "unknown";
  const { low, high } = difference;
  if (low <= 0 && high >= 0) return "equal";
  if (low === high) return "unknown";
  return low > 0 === (better === "more") ? "better" : "worse";
}

function labRun({ a, b }: RowPair): LabRun {
  const [lineA, lineB] = [a.figures.line, b.figures.line];
  const { turns, same } = samenessOf(a.figures, b.figures);
  return {
    id: a.run.id,
    turns: a.run.turns,
    tokens: a.run.tokens,
    window_tokens: a.windowTokens,
    a: lineA,
    b: lineB,
    difference: lineA === null || lineB === null ? null : lineB - lineA,
    cost_a: a.figures.cost,
    cost_b: b.figures.cost,
    compared_turns: turns,
    same_turns: same,
  };
}

/** The run that tells most of a pair: the worst for B; where B is nowhere worse, that in which the two differ most. */
export function tellingRun(runs: readonly LabRun[]): LabRun | undefined {
  const [worst] = runs;
  if (worst === undefined || (worst.difference ?? 0) < 0) return worst;
  return runs.reduce((most, run) => (unlikeness(run) > unlikeness(most) ? run : most), worst);
}

/** By recall, and of equal recall by the share of turns with another context. */
function unlikeness({ difference, compared_turns, same_turns }: LabRun): number {
  if (difference !== null && difference !== 0) return 1 + Math.abs(difference);
  return compared_turns === 0 ? 0 : 1 - same_turns / compared_turns;
}

function rank({ difference }: LabRun): number {
  return difference ?? Number.MAX_VALUE;
}

function timelineOf(row: ReplayRow): LabTimeline {
  const { policy, variant, figures, windowTokens, zones } = row;
  return {
    policy,
    variant,
    line_recall: figures.line,
    relative_cost: figures.cost,
    mean_utilization: figures.filled,
    peak_utilization: figures.peak,
    tokens: figures.timeline,
    edits: figures.editedAt,
    lost: figures.lost,
    window_tokens: windowTokens,
    thresholds: zones,
  };
}

function variantsOf(rows: readonly ReplayRow[]): Record<string, number> | null {
  const counts: Record<string, number> = {};
  for (const { variant } of rows) if (variant !== null) counts[variant] = (counts[variant] ?? 0) + 1;
  return Object.keys(counts).length === 0 ? null : counts;
}

function sample({ task }: ReplayRow, value: number | null): Sample[] {
  return value === null ? [] : [{ task, value }];
}
