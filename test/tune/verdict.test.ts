import { describe, expect, test } from "vitest";
import { compareTrials } from "../../src/tune/comparison.ts";
import type { Objective } from "../../src/tune/objective.ts";
import { signed, verdictOf } from "../../src/tune/verdict.ts";
import { luckOf, someRuns, trial } from "./trials.ts";

const RUNS = someRuns(40);
const BALANCED: Objective = { name: "balanced", costPrice: 0.1, maxCost: null, minRecall: null };

interface Case {
  readonly objective?: Objective;
  /** Means of line recall and cost that the tuned settings are above the start by, and how much runs differ in it. */
  readonly line?: number;
  readonly cost?: number;
  readonly spread?: number;
  readonly isStart?: boolean;
  readonly startKeepsBounds?: boolean;
}

function verdict(given: Case) {
  const { objective = BALANCED, line = 0, cost = 0, spread = 0.02, isStart = false, startKeepsBounds = true } = given;
  const trials = {
    start: RUNS.map((run) => trial(run, 0.8 + 0.1 * luckOf(run), 0.6)),
    tuned: RUNS.map((run) => trial(run, 0.8 + 0.1 * luckOf(run) + line + spread * luckOf(run), 0.6 + cost)),
  };
  const comparison = compareTrials(trials, objective, ["25%"]).all;
  return verdictOf({ objective, isStart, startKeepsBounds, trials, comparison });
}

describe("the verdict on held-back runs", () => {
  test("better: the whole interval is above 0, and it says by how much at what cost", () => {
    const { name, sentence } = verdict({ line: 0.05, cost: 0.1 });
    expect(name).toBe("better");
    expect(sentence).toMatch(
      /better by \+0\.0\d\d \[\+0\.0\d\d, \+0\.0\d\d\] \(balanced\): line recall \+0\.0\d\d \[.*\], cost \+0\.100 \[\+0\.100, \+0\.100\]/,
    );
  });

  test("equal: the interval holds 0", () => {
    const { name, sentence } = verdict({ line: 0.002, spread: 0.05 });
    expect(name).toBe("equal");
    expect(sentence).toMatch(
      /^The tuned settings equal yours within the interval, [+-]0\.\d{3} \[-0\.\d{3}, \+0\.\d{3}\].*keep yours/,
    );
  });

  test("worse: the whole interval is below 0", () => {
    expect(verdict({ line: -0.05 })).toMatchObject({ name: "worse", sentence: expect.stringContaining("keep yours") });
    expect(verdict({ line: 0.02, cost: 0.5 }).name).toBe("worse");
  });

  test("kept: nothing else was chosen", () => {
    expect(verdict({ isStart: true })).toMatchObject({
      name: "kept",
      sentence: expect.stringContaining("equals them"),
    });
    expect(verdict({ isStart: true, startKeepsBounds: false }).sentence).toContain("break the bounds");
  });

  test("a gain does not make up for a bound that is missed", () => {
    const recall: Objective = { ...BALANCED, name: "recall" };
    expect(verdict({ objective: recall, line: 0.1, cost: 0.05 })).toMatchObject({
      name: "worse",
      sentence: expect.stringContaining("cost +0.050 [+0.050, +0.050] from yours"),
    });
    expect(verdict({ objective: { ...recall, maxCost: 0.7 }, line: 0.1, cost: 0.05 }).name).toBe("better");
    expect(verdict({ objective: { ...recall, maxCost: 0.62 }, line: 0.1, cost: 0.05 }).sentence).toContain("from 0.62");
    const cost: Objective = { ...BALANCED, name: "cost" };
    expect(verdict({ objective: cost, line: -0.05, cost: -0.2 }).sentence).toMatch(/line recall -0\.0.* from yours/);
    expect(verdict({ objective: { ...cost, minRecall: 0.5 }, line: -0.05, cost: -0.2 }).name).toBe("better");
  });

  test("keeping bounds that the start breaks is better, at a price too", () => {
    const objective: Objective = { ...BALANCED, name: "recall", maxCost: 0.5 };
    expect(verdict({ objective, line: -0.05, cost: -0.15, startKeepsBounds: false })).toMatchObject({
      name: "better",
      sentence: expect.stringMatching(/keep the bounds, which yours break: line recall -0\.0/),
    });
    const least: Objective = { ...BALANCED, name: "cost", minRecall: 0.81 };
    expect(verdict({ objective: least, line: 0.05, cost: 0.1, startKeepsBounds: false }).name).toBe("better");
  });

  test("bounds that the start breaks on the training runs alone make nothing better", () => {
    const objective: Objective = { ...BALANCED, name: "recall", maxCost: 0.7 };
    expect(verdict({ objective, line: -0.05, cost: -0.15, startKeepsBounds: false }).name).toBe("worse");
    const least: Objective = { ...BALANCED, name: "cost", minRecall: 0.99 };
    const unsure = { objective: { ...least, minRecall: 0.805 }, line: 0.006, spread: 0.1, startKeepsBounds: false };
    expect(verdict(unsure).name).toBe("equal");
  });
});

test("estimates have their sign always, and zero is no minus", () => {
  const estimate = { mean: -0.0001, low: -0.0123, high: 0.004, runs: 3 };
  expect(signed(estimate)).toBe("+0.000 [-0.012, +0.004]");
  expect(signed(null)).toBe("-");
});
