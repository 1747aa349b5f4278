import { type KeptProbe, PROBE_TYPES, type Probe } from "../model/probe.ts";
import { judgeLexically, type Verdict, verdictOf } from "./judge-lexical.ts";

/** Folds back to which probes are kept. */
const GENERATIONS = 4;
/** Probes kept of one fold. */
const MOST_PROBES = 20;

/** What earlier folds were held to. Plain JSON. */
export interface Generations {
  /** Number of the last fold that was judged; 0 before the first. */
  readonly generation: number;
  /** The latest folds, oldest first. */
  readonly kept: readonly { readonly generation: number; readonly probes: readonly KeptProbe[] }[];
}

/** How much of what was folded `age` folds ago is still there. */
export interface CurvePoint {
  readonly age: number;
  readonly score: number;
  readonly probes: number;
}

export function initialGenerations(): Generations {
  return { generation: 0, kept: [] };
}

/** Takes the probes of a new fold in and forgets those of the oldest. */
export function nextGenerations(state: Generations, generation: number, probes: readonly KeptProbe[]): Generations {
  return { generation, kept: [...state.kept, { generation, probes }].slice(-GENERATIONS) };
}

/** The probes that later folds are held to: of each type in turn, the most salient first, as `buildProbes` orders them. */
export function keptProbes(probes: readonly Probe[]): KeptProbe[] {
  const byType = PROBE_TYPES.map((type) => probes.filter((probe) => probe.type === type));
  const chosen: KeptProbe[] = [];
  for (let rank = 0; chosen.length < Math.min(MOST_PROBES, probes.length); rank++) {
    for (const group of byType) {
      const probe = group[rank];
      if (probe === undefined || chosen.length >= MOST_PROBES) continue;
      const { type, facts, within, share } = probe;
      chosen.push({ type, facts, within, share });
    }
  }
  return chosen;
}

/** A fold held to what it took out, and earlier folds again to what they took out. */
export interface FoldVerdict {
  readonly generation: number;
  readonly verdict: Verdict;
  /** Youngest fold first. */
  readonly curve: readonly CurvePoint[];
}

/** Judges a new fold's probes, and those of earlier folds again, in one walk through the texts. */
export function judgeFold(state: Generations, probes: readonly Probe[], texts: readonly string[]): FoldVerdict {
  const generation = state.generation + 1;
  const earlier = state.kept.filter((fold) => fold.probes.length > 0);
  const sets: readonly (readonly KeptProbe[])[] = [probes, ...earlier.map((fold) => fold.probes)];
  const { kept } = judgeLexically(sets.flat(), texts);
  const ends = sets.map((_, at) => sets.slice(0, at + 1).flat().length);
  const [verdict, ...again] = sets.map((own, at) => {
    const marks = kept.slice((ends[at] ?? 0) - own.length, ends[at]);
    return verdictOf(own, marks.map(Number), marks);
  }) as [Verdict, ...Verdict[]];
  const curve = earlier.map((fold, at) => ({
    age: generation - fold.generation,
    score: again[at]?.score ?? 0,
    probes: fold.probes.length,
  }));
  return { generation, verdict, curve: curve.reverse() };
}
