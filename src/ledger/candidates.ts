import { FEATURES, readFeatures } from "./features/index.ts";
import type { NeedModel } from "./need-model.ts";
import type { PassView } from "./pass-view.ts";
import type { Line, Value } from "./vocabulary.ts";

/** Characters of a line that can be carried over: shorter ones say nothing, longer ones are data. */
const SHORTEST = 4;
const LONGEST = 400;
/** Lines looked at in one pass, the latest to go first: bounds its time. */
const MOST_LINES = 3000;
/** Scores below this are no estimate any more. */
const LEAST_SCORE = 1e-9;

/** A line that may be carried over. */
export interface Candidate {
  readonly line: Line;
  /** Expected weight of the needs it meets until the next eviction, nothing else being carried over. */
  readonly score: number;
  /** Tokens of its row. */
  readonly tokens: number;
  /** Its hidden values: what it can give. Each is worth 1 / entries. */
  readonly gives: readonly Value[];
  /** Their worth in all. */
  readonly worth: number;
}

/** Multiplies the score of a line: what was learned of its source since the model was trained. 1: nothing. */
export type ScoreFactor = (line: Line) => number;

/** Every line that may be carried over, with its score. Linear in the hidden lines, of which it looks at a bounded number. */
export function findCandidates(
  view: PassView,
  model: NeedModel,
  tokensOf: (row: string) => number,
  factor: ScoreFactor,
): Candidate[] {
  const features = new Float64Array(FEATURES.length);
  const found: Candidate[] = [];
  for (const line of latest(view.book.hidden, MOST_LINES)) {
    if (line.length < SHORTEST || line.length > LONGEST) continue;
    readFeatures(line, view, features);
    const score = Math.max(LEAST_SCORE, model.score(features) * factor(line));
    if (line.tokens < 0) line.tokens = tokensOf(line.text.trimStart());
    const gives = line.values.filter((value) => view.isHidden(value));
    let worth = 0;
    for (const value of gives) worth += 1 / value.entries;
    found.push({ line, score, tokens: line.tokens, gives, worth });
  }
  return found;
}

function latest<T>(items: ReadonlySet<T>, most: number): Iterable<T> {
  return items.size <= most ? items : [...items].slice(-most);
}
