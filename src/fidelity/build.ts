import type { Probe } from "../model/probe.ts";
import { chooseProbes } from "./candidate.ts";
import { type Original, readOriginal } from "./original.ts";
import { probeKinds } from "./probes/index.ts";

/** Probes of a type, unless it is said. */
const PER_TYPE = 5;

/**
 * Questions that whoever goes on with the work must be able to answer, each with the facts that answer it, from the
 * original alone: a fold has no say in what it is held to. At most `perType` of each type; the same original gives the
 * same probes. Sentences are recognised by English phrases; files, errors and numbers by their form. Linear in the text.
 */
export function buildProbes(original: Original, { perType = PER_TYPE }: { readonly perType?: number } = {}): Probe[] {
  const read = readOriginal(original);
  return probeKinds.flatMap(({ type, candidates }) => chooseProbes(type, candidates(read), perType));
}
