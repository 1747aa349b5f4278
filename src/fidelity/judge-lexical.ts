import type { KeptProbe, ProbeType } from "../model/probe.ts";
import { indexOfFact, normalised, stemOf } from "./words.ts";

/** How much of what was asked for is still there. */
export interface Verdict {
  /** Mean of the types that were asked for, 0 to 1; 1 where nothing was asked. A type counts once, however many probes it has. */
  readonly score: number;
  readonly byType: Readonly<Partial<Record<ProbeType, number>>>;
  /** By probe. */
  readonly kept: readonly boolean[];
}

/** Places of a probe's first fact in one text that are looked at. */
const MOST_PLACES = 2_000;

/** A probe with its facts as they are looked for. */
interface Search {
  readonly index: number;
  readonly probe: KeptProbe;
  readonly facts: readonly string[];
  /** Facts of a probe without a window that have not been found yet. */
  readonly open: Set<string>;
}

/**
 * Looks for each probe's facts in what the context shows, the texts in the order of their promise: small ones that hold
 * much first. What one text settles is not looked for in the next. Comparison is as `normalised` has it.
 */
export function judgeLexically(probes: readonly KeptProbe[], texts: readonly string[]): Verdict {
  const kept = probes.map(() => false);
  let missing: Search[] = probes.map((probe, index) => {
    const facts = probe.facts.map((fact) =>
      probe.within === null ? normalised(fact).trim() : stemOf(normalised(fact).trim()),
    );
    return { index, probe, facts, open: new Set(facts) };
  });
  for (const text of texts) {
    if (missing.length === 0) break;
    const plain = normalised(text);
    missing = missing.filter((search) => {
      const found = search.probe.within === null ? settle(search, plain) : standTogether(search, plain);
      if (found) kept[search.index] = true;
      return !found;
    });
  }
  return verdictOf(probes, kept.map(Number), kept);
}

/** Sums up what each probe scored, 0 to 1. */
export function verdictOf(probes: readonly KeptProbe[], scores: readonly number[], kept: readonly boolean[]): Verdict {
  const sums = new Map<ProbeType, { sum: number; probes: number }>();
  for (const [index, { type }] of probes.entries()) {
    const group = sums.get(type) ?? { sum: 0, probes: 0 };
    sums.set(type, { sum: group.sum + (scores[index] ?? 0), probes: group.probes + 1 });
  }
  const byType = Object.fromEntries([...sums].map(([type, { sum, probes: count }]) => [type, sum / count]));
  const means = Object.values(byType);
  const score = means.length === 0 ? 1 : means.reduce((sum, mean) => sum + mean, 0) / means.length;
  return { score, byType, kept };
}

/** Each fact anywhere: what this text has of them need not be in the next. */
function settle({ open }: Search, text: string): boolean {
  for (const fact of open) if (indexOfFact(text, fact) >= 0) open.delete(fact);
  return open.size === 0;
}

/** The first fact with enough of the others around it. */
function standTogether({ probe, facts }: Search, text: string): boolean {
  const [key = "", ...others] = facts;
  const needed = Math.ceil(probe.share * facts.length) - 1;
  const within = probe.within ?? 0;
  // Most texts lack so many of the words that no place in them need be looked at.
  if (others.filter((fact) => text.includes(fact)).length < needed) return false;
  let at = indexOfFact(text, key, 0, true);
  for (let places = 0; at >= 0 && places < MOST_PLACES; places++) {
    const around = text.slice(Math.max(0, at - within), at + key.length + within);
    if (others.filter((fact) => indexOfFact(around, fact, 0, true) >= 0).length >= needed) return true;
    at = indexOfFact(text, key, at + 1, true);
  }
  return false;
}
