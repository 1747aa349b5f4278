import { describe, expect, test } from "vitest";
import { estimate } from "../../src/replay/bootstrap.ts";

const samples = (values: readonly number[], tasks = values.length) =>
  values.map((value, index) => ({ task: `t${index % tasks}`, value }));

describe("an estimate by bootstrap over tasks", () => {
  test("is the mean over runs, inside its interval, and the same each time", () => {
    const given = samples([0.1, 0.4, 0.35, 0.8, 0.6, 0.55, 0.2, 0.9]);
    const result = estimate(given);
    expect(result?.mean).toBeCloseTo(0.4875, 12);
    expect(result?.low).toBeLessThan(0.4875);
    expect(result?.high).toBeGreaterThan(0.4875);
    expect(estimate(given)).toEqual(result);
  });

  test("has an interval about as wide as the normal approximation says", () => {
    const values = Array.from({ length: 200 }, (_, index) => ((index * 37) % 100) / 100);
    const { mean, low, high } = estimate(samples(values)) ?? { mean: 0, low: 0, high: 0 };
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    const width = 2 * 1.96 * Math.sqrt(variance / values.length);
    expect(high - low).toBeGreaterThan(0.85 * width);
    expect(high - low).toBeLessThan(1.15 * width);
  });

  test("draws runs of one task together: many runs of two tasks say little", () => {
    const values = Array.from({ length: 100 }, (_, index) => index % 2);
    expect(estimate(samples(values, 2))).toMatchObject({ mean: 0.5, low: 0, high: 1, runs: 100 });
  });

  test("is nothing without samples", () => {
    expect(estimate([])).toBeNull();
  });
});
