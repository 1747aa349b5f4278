import { type PolicyFigures, sumOf } from "./policy-measure.ts";
import type { Ending, WatchedSession } from "./watched-session.ts";

/** One policy over many sessions. */
export interface PolicyTotal {
  readonly policy: string;
  readonly sessions: number;
  readonly figures: PolicyFigures;
}

/** Figures of the sessions by policy, the live one first, then in the order in which the sessions name them. */
export function totalsOf(sessions: Iterable<Pick<WatchedSession, "records">>): PolicyTotal[] {
  const byPolicy = new Map<string, PolicyFigures[]>();
  for (const session of sessions) {
    for (const { policy, figures } of session.records()) {
      const known = byPolicy.get(policy);
      if (known) known.push(figures);
      else byPolicy.set(policy, [figures]);
    }
  }
  return [...byPolicy].map(([policy, all]) => ({ policy, sessions: all.length, figures: sumOf(all) }));
}

/** The totals with those of further sessions. */
export function mergedTotals(all: readonly (readonly PolicyTotal[])[]): PolicyTotal[] {
  const merged = new Map<string, PolicyTotal>();
  for (const { policy, sessions, figures } of all.flat()) {
    const known = merged.get(policy);
    merged.set(policy, {
      policy,
      sessions: sessions + (known?.sessions ?? 0),
      figures: known ? sumOf([known.figures, figures]) : figures,
    });
  }
  return [...merged.values()];
}

/** Figures since the daemon's start, for metrics. */
export interface ShadowFigures {
  readonly watched: number;
  readonly ended: Readonly<Record<Ending, number>>;
  readonly policies: readonly PolicyTotal[];
}
