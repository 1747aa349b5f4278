import type { Probe, ProbeType } from "../model/probe.ts";
import type { ReadOriginal } from "./original.ts";
import { contentWords, isName, normalised } from "./words.ts";

/** Something that a probe could ask for. */
export interface Candidate extends Omit<Probe, "type"> {
  /** The higher, the more a person would miss it. Says nothing about how anybody folds. */
  readonly salience: number;
  /** Place of the passage it comes from. */
  readonly at: number;
}

/** One kind of probe: what of an original it could ask for. */
export interface ProbeKind {
  readonly type: ProbeType;
  candidates(original: ReadOriginal): Candidate[];
}

/** Share of a sentence's content words that a fold of it must keep together: wording is folded, what it is about is not. */
export const SENTENCE_SHARE = 0.6;
const FEWEST_WORDS = 4;
const MOST_WORDS = 12;
const LEAST_WITHIN = 120;

/** Salience of being named again, in up to seven later passages, and of being late. */
export function standing(original: ReadOriginal, words: readonly string[], at: number): number {
  const uses = words.reduce((most, word) => Math.max(most, original.usesAfter(word, at)), 0);
  return Math.min(1.5, Math.log2(1 + uses) / 2) + 0.75 * original.recency(at);
}

/**
 * What a sentence is recognised by: its names and content words, of which a share must stand together. The first is
 * its key noun: the first name, else the longest word. Null where the sentence says too little.
 */
export function factsOfSentence(text: string): Pick<Probe, "facts" | "within" | "share"> | null {
  const words = contentWords(text);
  if (words.length < FEWEST_WORDS) return null;
  const name = [...text.matchAll(/[\p{L}\p{N}_$]+/gu)]
    .map(([word]) => word)
    .find((word) => word.length > 3 && isName(word));
  const known = name === undefined ? undefined : words.find((word) => word === normalised(name));
  const key = known ?? words.reduce((longest, word) => (word.length > longest.length ? word : longest));
  const facts = [key, ...words.filter((word) => word !== key)].slice(0, MOST_WORDS);
  return { facts, within: Math.max(LEAST_WITHIN, Math.ceil(1.25 * text.length)), share: SENTENCE_SHARE };
}

/** The most salient ones, each fact once; the later of equals first. */
export function chooseProbes(type: ProbeType, candidates: readonly Candidate[], most: number): Probe[] {
  const byWeight = [...candidates].sort((a, b) => b.salience - a.salience || b.at - a.at);
  const chosen: Candidate[] = [];
  for (const candidate of byWeight) {
    if (chosen.length >= most) break;
    if (!chosen.some((other) => overlaps(other.facts, candidate.facts))) chosen.push(candidate);
  }
  return chosen.map(({ salience: _, at: __, ...probe }) => ({ type, ...probe }));
}

/** Share of the facts from which two probes ask the same, unless they are about things of different names. */
const SAME = 0.6;

function overlaps(one: readonly string[], other: readonly string[]): boolean {
  const [key = "", otherKey = ""] = [one[0], other[0]];
  if (key !== otherKey && isName(key) && isName(otherKey)) return false;
  const shared = one.filter((fact) => other.includes(fact)).length;
  return shared >= SAME * Math.min(one.length, other.length);
}
