import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Candidate } from "../../src/ledger/candidates.ts";
import { Coverage, choose, coveredScore } from "../../src/ledger/choice.ts";
import { type Line, Value } from "../../src/ledger/vocabulary.ts";

const VALUES = Array.from({ length: 5 }, (_, at) => {
  const value = new Value("identifier", 8);
  value.entries = 1 + (at % 3);
  return value;
});

const candidate = fc
  .record({
    score: fc.integer({ min: 1, max: 50 }),
    tokens: fc.integer({ min: 1, max: 12 }),
    gives: fc.uniqueArray(fc.constantFrom(...VALUES), { maxLength: 4 }),
  })
  .map(({ score, tokens, gives }): Candidate => {
    const worth = gives.reduce((sum, value) => sum + 1 / value.entries, 0);
    return { line: {} as Line, score: score / 10, tokens, gives, worth };
  });

const tokensOf = (chosen: readonly Candidate[]) => chosen.reduce((sum, { tokens }) => sum + tokens, 0);

/** The same choice without any queue: each time the best ratio of all that are left. */
function eager(candidates: readonly Candidate[], tokens: number): Candidate[] {
  const coverage = new Coverage();
  const left = new Set(candidates);
  const chosen: Candidate[] = [];
  let room = tokens;
  while (left.size > 0 && room > 2) {
    const ratio = (each: Candidate) => coverage.gain(each) / (3 + each.tokens);
    const best = [...left].reduce((a, b) => (ratio(b) > ratio(a) ? b : a));
    left.delete(best);
    if (ratio(best) <= 0 || best.tokens > room) continue;
    room -= best.tokens;
    chosen.push(best);
    coverage.add(best);
  }
  return chosen;
}

/** The most that any of the candidates taken together can cover within the tokens. */
function best(candidates: readonly Candidate[], tokens: number): number {
  let most = 0;
  for (let set = 0; set < 1 << candidates.length; set++) {
    const taken = candidates.filter((_, at) => (set >> at) & 1);
    if (tokensOf(taken) > tokens) continue;
    // What a set is worth depends on its order: the greatest gain first, as the choice takes them.
    most = Math.max(most, coveredScore([...taken].sort((a, b) => b.score - a.score)));
  }
  return most;
}

describe("the choice of lines", () => {
  test("is worth what taking the best ratio each time is worth, within the tokens", () => {
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 12 }), fc.integer({ min: 0, max: 60 }), (candidates, tokens) => {
        const chosen = choose(candidates, { tokens }, new Coverage());
        expect(tokensOf(chosen)).toBeLessThanOrEqual(tokens);
        expect(new Set(chosen).size).toBe(chosen.length);
        expect(coveredScore(chosen)).toBeCloseTo(coveredScore(eager(candidates, tokens)), 9);
      }),
      { numRuns: 1000 },
    );
  });

  test("is never far from the best of all choices when there is room for several lines", () => {
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 8 }), (candidates) => {
        const chosen = choose(candidates, { tokens: 40 }, new Coverage());
        expect(coveredScore(chosen)).toBeGreaterThanOrEqual(0.6 * best(candidates, 40));
      }),
      { numRuns: 200 },
    );
  });

  test("takes no line whose values are covered already", () => {
    const [value] = VALUES as [Value];
    const line = (score: number): Candidate => ({ line: {} as Line, score, tokens: 5, gives: [value], worth: 1 });
    const [good, better] = [line(1), line(2)];
    const coverage = new Coverage();
    expect(choose([good, better], { tokens: 100 }, coverage)).toEqual([better]);
    expect(choose([good], { tokens: 100 }, coverage)).toEqual([]);
  });

  test("goes on with shorter lines when one does not fit", () => {
    const line = (score: number, tokens: number): Candidate => ({
      line: {} as Line,
      score,
      tokens,
      gives: [],
      worth: 0,
    });
    const [long, short] = [line(9, 50), line(0.1, 4)];
    expect(choose([long, short], { tokens: 10 }, new Coverage())).toEqual([short]);
  });
});
