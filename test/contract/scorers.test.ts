import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planEviction, scorers, scoringView } from "../../src/eviction/index.ts";
import { anyContext } from "../support/context-arbitrary.ts";
import { ContextBuilder } from "../support/context-builder.ts";

const CASES = { numRuns: 60 };
const demand = {
  tokensToFree: 300,
  prices: { read: 0.1, write: 1.25 },
  expectedRemainingTurns: 20,
  minTokensFreed: 0,
  forced: true,
};

describe.each(Object.entries(scorers))("the scorer %s", (name, strategy) => {
  const scorer = strategy.configure({});

  it("names itself as the registry does and says what it is", () => {
    expect(scorer.name).toBe(name);
    expect(strategy.summary).toMatch(/^[A-Z].*\.$/);
  });

  it("refuses options that it does not know", () => {
    expect(() => strategy.configure({ half_live: 3 })).toThrow(/half_live/);
  });

  it("scores any block of any run within 0 and 1, by parts that sum to the score and a stable rule", () => {
    fc.assert(
      fc.property(anyContext, fc.string(), (built, taskText) => {
        const view = scoringView(built.context({ taskText }));
        for (const block of built.blocks) {
          const { score, parts, rule } = scorer.score(block, view);
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
          const sum = Object.values(parts).reduce((total, part) => total + part, 0);
          expect(sum).toBeCloseTo(score, 9);
          expect(rule).toMatch(new RegExp(`^${name}\\.[a-z_]+$`));
        }
      }),
      CASES,
    );
  });

  it("answers the same for the same block and changes nothing", () => {
    fc.assert(
      fc.property(anyContext, (built) => {
        const before = JSON.stringify(built.blocks);
        const view = scoringView(built.context());
        const first = built.blocks.map((block) => scorer.score(block, view));
        expect(built.blocks.map((block) => strategy.configure({}).score(block, view))).toEqual(first);
        expect(JSON.stringify(built.blocks)).toBe(before);
      }),
      CASES,
    );
  });

  it("plans only the actions that it declares", () => {
    fc.assert(
      fc.property(anyContext, (built) => {
        const merge = { enabled: false, threshold: 1 };
        for (const edit of planEviction(built.context({ merge }), scorer, demand).edits) {
          expect(scorer.actions).toContain(edit.method);
        }
      }),
      CASES,
    );
  });

  it("does not score an older block of the same kind higher than a newer one", () => {
    const built = new ContextBuilder();
    // No word in common, so that nothing but age tells the blocks apart.
    for (let i = 0; i < 12; i++)
      built.nextTurn().call("read_file", { path: `${i}.py` }, `first${i} second${i} third${i}`);
    const view = scoringView(built.context());
    const results = built.blocks.filter((block) => block.type === "tool_result");
    const scores = results.map((block) => scorer.score(block, view).score);
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
  });
});
