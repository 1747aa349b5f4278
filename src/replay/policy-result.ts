import { ZONES, type Zone } from "../model/zone.ts";
import { zoneAt } from "../pressure/index.ts";
import { type Estimate, estimate, type Sample } from "./bootstrap.ts";
import { grouped } from "./grouping.ts";
import type { Figures } from "./measure.ts";
import { type ReplayRow, type WirePayback, type WireRegret, wirePayback, wireRegret } from "./report-rows.ts";
import { samenessOf } from "./sameness.ts";

/** One policy at one window: means over its runs, the recalls, the cost and the regret with a 95 % interval. */
export interface PolicyResult {
  readonly window: string;
  readonly policy: string;
  readonly runs: number;
  readonly line: Estimate | null;
  readonly value: Estimate | null;
  readonly far: Estimate | null;
  readonly grounded: Estimate | null;
  readonly cost: Estimate | null;
  /** Share of the needed weight that is missed within ten turns after it left the context. */
  readonly regret_share: Estimate | null;
  /** Tokens in the common prefix with the request before, of all tokens sent. */
  readonly prefix_hit_share: number;
  /** Sums over the runs, from here on. */
  readonly tokens_sent: number;
  readonly prefix_hit_tokens: number;
  readonly edited_requests: number;
  readonly edits: number;
  readonly regret: WireRegret;
  readonly payback: WirePayback;
  /** Requests by the zone that their context is in. */
  readonly zones: Readonly<Record<Zone, number>>;
  /** How often each variant was the best; null where the policy is one. */
  readonly variants: Readonly<Record<string, number>> | null;
  /** Most tokens of a request over the window: the largest of the runs. */
  readonly peak: number;
  /** Mean tokens of a request over the window. */
  readonly filled: Estimate | null;
  readonly families: Readonly<Record<string, FamilyResult>>;
  /** Against the first policy, on the runs that both have; null of that policy itself. */
  readonly difference: {
    readonly to: string;
    readonly line: Estimate | null;
    readonly grounded: Estimate | null;
    readonly cost: Estimate | null;
    /** Requests whose whole context was the same, of those behind the first edit that either of the two made. */
    readonly same_turns: number;
    readonly compared_turns: number;
  } | null;
}

export interface FamilyResult {
  readonly runs: number;
  readonly line: number | null;
  readonly far: number | null;
  readonly grounded: number | null;
  readonly cost: number | null;
}

/** What a result is about. */
export interface ResultTerms {
  readonly rows: readonly ReplayRow[];
  readonly window: string;
  readonly policy: string;
  /** The policy that the others are compared with. */
  readonly reference: string;
}

type Figure = (figures: Figures) => number | null;

const RECALLS = {
  line: ({ line }) => line,
  far: ({ far }) => far,
  grounded: ({ grounded }) => grounded,
  cost: ({ cost }) => cost,
} as const satisfies Record<string, Figure>;

export function resultOf({ rows, window, policy, reference }: ResultTerms): PolicyResult {
  const own = rows.filter((row) => row.window === window && row.policy === policy);
  const sum = (figure: (figures: Figures) => number) => own.reduce((total, { figures }) => total + figure(figures), 0);
  const tokensSent = sum(({ tokensSent }) => tokensSent);
  const prefixHits = sum(({ prefixHits }) => prefixHits);
  const mean = (figure: Figure) => estimate(samplesOf(own, figure));
  return {
    window,
    policy,
    runs: own.length,
    line: mean(RECALLS.line),
    value: mean(({ value }) => value),
    far: mean(RECALLS.far),
    grounded: mean(RECALLS.grounded),
    cost: mean(RECALLS.cost),
    regret_share: mean(({ regret, needWeight }) => (needWeight > 0 ? regret.weight / needWeight : null)),
    prefix_hit_share: tokensSent === 0 ? 0 : prefixHits / tokensSent,
    tokens_sent: tokensSent,
    prefix_hit_tokens: prefixHits,
    edited_requests: sum(({ editedRequests }) => editedRequests),
    edits: sum(({ edits }) => edits),
    regret: wireRegret(own.map(({ figures }) => figures.regret)),
    payback: wirePayback(own.map(({ figures }) => figures)),
    zones: requestsByZone(own),
    variants: variantsOf(own),
    peak: Math.max(0, ...own.map(({ figures }) => figures.peak)),
    filled: mean(({ filled }) => filled),
    families: familiesOf(own),
    difference: policy === reference ? null : differenceTo(reference, rows, own),
  };
}

function samplesOf(rows: readonly ReplayRow[], figure: Figure): Sample[] {
  return rows.flatMap(({ task, figures }) => {
    const value = figure(figures);
    return value === null ? [] : [{ task, value }];
  });
}

function requestsByZone(rows: readonly ReplayRow[]): Record<Zone, number> {
  const counts = Object.fromEntries(ZONES.map((zone) => [zone, 0])) as Record<Zone, number>;
  for (const { figures, zones } of rows) for (const tokens of figures.timeline) counts[zoneAt(tokens, zones)]++;
  return counts;
}

function variantsOf(rows: readonly ReplayRow[]): Record<string, number> | null {
  const variants = grouped(rows, ({ variant }) => variant ?? "");
  if (rows.every(({ variant }) => variant === null)) return null;
  return Object.fromEntries([...variants].map(([variant, own]) => [variant, own.length]));
}

function familiesOf(rows: readonly ReplayRow[]): Record<string, FamilyResult> {
  const families = grouped(rows, ({ run }) => run.family);
  return Object.fromEntries(
    [...families].map(([family, own]): [string, FamilyResult] => {
      const mean = (figure: Figure) => estimate(samplesOf(own, figure))?.mean ?? null;
      const { line, far, grounded, cost } = RECALLS;
      return [
        family,
        { runs: own.length, line: mean(line), far: mean(far), grounded: mean(grounded), cost: mean(cost) },
      ];
    }),
  );
}

function differenceTo(
  reference: string,
  rows: readonly ReplayRow[],
  own: readonly ReplayRow[],
): PolicyResult["difference"] {
  const others = new Map(
    rows.filter(({ policy }) => policy === reference).map((row) => [`${row.window} ${row.run.id}`, row]),
  );
  const differences = (figure: Figure) =>
    estimate(
      own.flatMap(({ window, run, task, figures }) => {
        const other = others.get(`${window} ${run.id}`);
        const mine = figure(figures);
        const theirs = other === undefined ? null : figure(other.figures);
        return mine === null || theirs === null ? [] : [{ task, value: mine - theirs }];
      }),
    );
  const sameness = own.flatMap(({ window, run, figures }) => {
    const other = others.get(`${window} ${run.id}`);
    return other === undefined ? [] : [samenessOf(other.figures, figures)];
  });
  return {
    to: reference,
    line: differences(RECALLS.line),
    grounded: differences(RECALLS.grounded),
    cost: differences(RECALLS.cost),
    same_turns: sameness.reduce((sum, { same }) => sum + same, 0),
    compared_turns: sameness.reduce((sum, { turns }) => sum + turns, 0),
  };
}
