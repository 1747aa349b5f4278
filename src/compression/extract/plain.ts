import type { Extractor } from "./extractor.ts";
import {
  hasError,
  hasWarning,
  isBlank,
  opensSection,
  tellsConstraint,
  tellsDecision,
  tellsExit,
} from "./line-signs.ts";
import { fitOutline } from "./outline.ts";
import { foldRepeats, type Piece, piecesOf } from "./pieces.ts";

/** Lines of the head and of the tail that are worth more than their words, the outermost most. */
const EDGE = 8;
const EDGE_STEP = 0.05;
/** Fewer lines have no middle to leave out. */
const LEAST_LINES = 4;
/** Characters of a line and of a text in which names are looked for. */
const NAMES_IN_LINE = 1_000;
const NAMES_IN_TEXT = 2_000_000;
const NAME = /[A-Za-z_$][\w$]{2,60}(?:[./:-][\w$]{1,60}){0,8}|\d{3,20}/g;
/** A word of prose: says little by being rare. */
const PLAIN_WORD = /^[A-Za-z]?[a-z]+$/;
/** Rare names in a line beyond which more make it no better. */
const ENOUGH_NAMES = 3;

/** Any text: head and tail, and of the rest errors, decisions, constraints, openings of sections, and rare names. */
export const plain: Extractor = {
  name: "plain",
  recognises: () => true,
  extract(text, options) {
    const pieces = foldRepeats(piecesOf(text));
    if (pieces.length < LEAST_LINES) return null;
    return fitOutline(text, { pieces, weights: plainWeights(pieces) }, options);
  },
};

export function plainWeights(pieces: readonly Piece[]): Float64Array {
  const rarity = raritiesOf(pieces);
  return Float64Array.from(pieces, ({ text }, index) => {
    if (isBlank(text)) return 0;
    const edge = Math.max(edgeWeight(index), edgeWeight(pieces.length - 1 - index) - 0.01);
    const rare = rarity[index] ?? 0;
    return Math.max(edge, signWeight(text), 0.1 + 0.4 * rare) + 0.1 * rare;
  });
}

/** Of a line so many lines from an end. */
export function edgeWeight(distance: number): number {
  return distance < EDGE ? 0.85 - EDGE_STEP * distance : 0;
}

function signWeight(line: string): number {
  if (tellsExit(line)) return 0.8;
  if (hasError(line)) return 0.75;
  if (opensSection(line)) return 0.62;
  if (tellsConstraint(line)) return 0.66;
  if (tellsDecision(line)) return 0.64;
  return hasWarning(line) ? 0.4 : 0.1;
}

/** For each line how many names it has that few other lines have, 0 to 1. */
function raritiesOf(pieces: readonly Piece[]): Float64Array {
  const lines = new Map<string, number>();
  const names: (readonly string[])[] = [];
  let read = 0;
  for (const { text } of pieces) {
    const own = read > NAMES_IN_TEXT ? [] : namesOf(text);
    read += Math.min(text.length, NAMES_IN_LINE);
    names.push(own);
    for (const name of own) lines.set(name, (lines.get(name) ?? 0) + 1);
  }
  return Float64Array.from(names, (own) => {
    const sum = own.reduce((total, name) => total + 1 / (lines.get(name) ?? 1), 0);
    return Math.min(1, sum / ENOUGH_NAMES);
  });
}

function namesOf(line: string): string[] {
  const names = new Set<string>();
  for (const [name] of line.slice(0, NAMES_IN_LINE).matchAll(NAME)) if (!PLAIN_WORD.test(name)) names.add(name);
  return [...names];
}
