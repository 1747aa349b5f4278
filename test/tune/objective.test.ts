import { describe, expect, test } from "vitest";
import { excess, type Objective, promiseOf, roomOf, worthOf } from "../../src/tune/objective.ts";

const NONE = { cost: 0, recall: 0 };
const START = { line: 0.9, cost: 0.6 };
const objective = (name: Objective["name"], bounds: Partial<Objective> = {}): Objective => ({
  name,
  costPrice: 0.1,
  maxCost: null,
  minRecall: null,
  ...bounds,
});

describe("what figures are worth", () => {
  test("balanced: cost counts at its price", () => {
    expect(worthOf(objective("balanced"), { line: 0.9, cost: 0.6 })).toBeCloseTo(0.84, 12);
    expect(worthOf(objective("balanced"), { line: 0.91, cost: 0.7 })).toBeCloseTo(0.84, 12);
  });

  test("recall and cost look at their own figure alone; less cost is better", () => {
    expect(worthOf(objective("recall"), START)).toBe(0.9);
    expect(worthOf(objective("cost"), START)).toBe(-0.6);
  });
});

describe("bounds", () => {
  test("recall may not cost more, cost may not lose recall, where nothing else is asked for", () => {
    const dearer = { line: 0.95, cost: 0.65 };
    const poorer = { line: 0.88, cost: 0.5 };
    expect(excess(roomOf(objective("recall"), START), dearer, START).cost).toBeCloseTo(0.05, 12);
    expect(excess(roomOf(objective("recall"), START), poorer, START)).toEqual(NONE);
    expect(excess(roomOf(objective("cost"), START), poorer, START).recall).toBeCloseTo(0.02, 12);
    expect(excess(roomOf(objective("cost"), START), dearer, START)).toEqual(NONE);
    expect(excess(roomOf(objective("balanced"), START), { line: 0, cost: 2 }, START)).toEqual(NONE);
  });

  test("hold on a part of the runs as much above the start's figures there as on all", () => {
    const room = roomOf(objective("recall", { maxCost: 0.7 }), START);
    const startOfPart = { line: 0.8, cost: 0.9 };
    expect(excess(room, { line: 0.9, cost: 0.99 }, startOfPart)).toEqual(NONE);
    expect(excess(room, { line: 0.9, cost: 1.02 }, startOfPart).cost).toBeCloseTo(0.02, 12);
  });

  test("may be broken by the start itself", () => {
    const room = roomOf(objective("balanced", { minRecall: 0.95 }), START);
    expect(excess(room, START, START).recall).toBeCloseTo(0.05, 12);
    expect(excess(room, { line: 0.96, cost: 1 }, START)).toEqual(NONE);
  });
});

describe("what settings promise to a search", () => {
  test("is their worth within the bounds, and falls steeply but steadily beyond them", () => {
    expect(promiseOf(0.9, NONE)).toBe(0.9);
    expect(promiseOf(0.92, { cost: 0.005, recall: 0 })).toBeGreaterThan(0.9);
    expect(promiseOf(0.92, { cost: 0.05, recall: 0 })).toBeLessThan(0.9);
    expect(promiseOf(-0.5, { cost: 0, recall: 0.02 })).toBeLessThan(promiseOf(-0.6, NONE));
  });
});
