import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CascadeStep, runCascade } from "../../src/compression/cascade.ts";
import type { CompressionEdit, CompressionMethod, CompressionOutcome } from "../../src/compression/method.ts";

const view = {
  windowTokens: 100_000,
  turn: 7,
  units: [],
  canRecall: true,
  isProtected: () => false,
  count: (text: string) => text.length,
  tokensWith: (_block: unknown, text: string) => text.length,
};

function edit(blockIds: string | readonly string[], tokensBefore: number, tokensAfter: number): CompressionEdit {
  const ids = typeof blockIds === "string" ? [blockIds] : blockIds;
  return { method: "clear", blockIds: ids, tokensBefore, tokensAfter, replacementText: "", rule: "test" };
}

/** A method that plans these edits, and keeps what it was asked. */
function planning(name: string, ...edits: CompressionEdit[]) {
  const asked: { tokensToFree: number; planned: string[] }[] = [];
  const method: CompressionMethod = {
    name,
    apply: (seen, demand) => {
      asked.push({ tokensToFree: demand.tokensToFree, planned: [...seen.planned.keys()] });
      return { kind: "applied", edits };
    },
  };
  return { method, asked };
}

function refusing(name: string, reason: string): CompressionMethod {
  return { name, apply: (): CompressionOutcome => ({ kind: "not_applicable", reason }) };
}

function run(steps: readonly CascadeStep[], tokensToFree: number, level = 1) {
  return runCascade(steps, view, { tokensToFree, level });
}

describe("the cascade", () => {
  it("runs the steps in the order of their thresholds until the demand is met", () => {
    const first = planning("first", edit("b1", 100, 40));
    const second = planning("second", edit("b2", 100, 0));
    const third = planning("third", edit("b3", 100, 0));
    const plan = run(
      [
        { threshold: 0.92, method: third.method },
        { threshold: 0.75, method: first.method },
        { threshold: 0.85, method: second.method },
      ],
      150,
    );
    expect(plan.edits.map((each) => each.blockIds[0])).toEqual(["b1", "b2"]);
    expect(plan).toMatchObject({ tokensFreed: 160, met: true });
    expect(plan.steps.map((step) => [step.method, step.outcome, step.tokensFreed])).toEqual([
      ["first", "applied", 60],
      ["second", "applied", 100],
      ["third", "not_needed", 0],
    ]);
  });

  it("asks each step for what is left, and shows it what is planned", () => {
    const first = planning("first", edit("b1", 100, 40));
    const second = planning("second", edit("b2", 100, 0));
    run(
      [
        { threshold: 0.75, method: first.method },
        { threshold: 0.85, method: second.method },
      ],
      1_000,
    );
    expect(first.asked).toEqual([{ tokensToFree: 1_000, planned: [] }]);
    expect(second.asked).toEqual([{ tokensToFree: 940, planned: ["b1"] }]);
  });

  it("does not try a step before the pressure has reached its threshold", () => {
    const step = planning("late", edit("b1", 100, 0));
    const plan = run([{ threshold: 0.85, method: step.method }], 50, 0.8499);
    expect(step.asked).toEqual([]);
    expect(plan).toMatchObject({ edits: [], met: false, steps: [{ outcome: "below_threshold" }] });
    expect(run([{ threshold: 0.85, method: step.method }], 50, 0.85).met).toBe(true);
  });

  it("moves on from a step that does not apply, with its reason", () => {
    const plan = run(
      [
        { threshold: 0.75, method: refusing("first", "no_results") },
        { threshold: 0.75, method: planning("second", edit("b1", 10, 0)).method },
      ],
      5,
    );
    expect(plan.steps[0]).toMatchObject({ outcome: "not_applicable", reason: "no_results" });
    expect(plan.met).toBe(true);
  });

  it("throws away an edit that is not shorter than what it replaces", () => {
    const plan = run([{ threshold: 0.5, method: planning("first", edit("b1", 10, 10), edit("b2", 10, 30)).method }], 5);
    expect(plan.edits).toEqual([]);
    expect(plan.steps[0]).toMatchObject({ edits: 0, discarded: 2, tokensFreed: 0 });
  });

  it("lets a later step drop what an earlier one shortened, and counts it once", () => {
    const plan = run(
      [
        { threshold: 0.5, method: planning("shorten", edit("b1", 100, 40)).method },
        { threshold: 0.6, method: planning("drop", edit(["b1", "b2"], 150, 0)).method },
      ],
      1_000,
    );
    expect(plan.edits.map((each) => each.blockIds)).toEqual([["b1", "b2"]]);
    expect(plan.tokensFreed).toBe(150);
    expect(plan.steps.map((step) => step.tokensFreed)).toEqual([60, 90]);
  });

  it("does not let a later step cut into a unit that an earlier one drops", () => {
    const plan = run(
      [
        { threshold: 0.5, method: planning("drop", edit(["b1", "b2"], 150, 0)).method },
        { threshold: 0.6, method: planning("shorten", edit("b1", 100, 40)).method },
      ],
      1_000,
    );
    expect(plan.edits.map((each) => each.blockIds)).toEqual([["b1", "b2"]]);
    expect(plan.steps[1]).toMatchObject({ discarded: 1 });
  });

  it("never plans two edits of a block, and frees what its edits say, whatever the methods plan", () => {
    const ids = fc.uniqueArray(fc.constantFrom("b1", "b2", "b3", "b4"), { minLength: 1, maxLength: 3 });
    const edits = fc.array(fc.tuple(ids, fc.nat(100), fc.nat(120)), { maxLength: 4 });
    const steps = fc.array(fc.tuple(fc.constantFrom(0.5, 0.7, 0.9), edits), { maxLength: 5 });
    fc.assert(
      fc.property(steps, fc.nat(400), fc.constantFrom(0.4, 0.7, 1), (list, tokensToFree, level) => {
        const plan = run(
          list.map(([threshold, planned], index) => ({
            threshold,
            method: planning(`m${index}`, ...planned.map(([blockIds, before, after]) => edit(blockIds, before, after)))
              .method,
          })),
          tokensToFree,
          level,
        );
        const touched = plan.edits.flatMap((each) => each.blockIds);
        expect(new Set(touched).size).toBe(touched.length);
        const freed = plan.edits.reduce((sum, each) => sum + each.tokensBefore - each.tokensAfter, 0);
        expect(plan.tokensFreed).toBe(freed);
        expect(plan.steps.reduce((sum, step) => sum + step.tokensFreed, 0)).toBe(freed);
        expect(plan.met).toBe(freed >= tokensToFree);
        expect(plan.steps.every((step) => step.tokensFreed >= 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
