import { expect, it } from "vitest";
import { INITIAL_FACTOR, updateFactor } from "../../src/tokens/calibration.ts";

it("moves a fifth of the way to what was reported", () => {
  expect(updateFactor(INITIAL_FACTOR, 1000, 1500)).toBeCloseTo(1.1, 10);
  expect(updateFactor(1.2, 1000, 1000)).toBeCloseTo(1.16, 10);
});

it("converges to the true ratio", () => {
  let factor = INITIAL_FACTOR;
  for (let i = 0; i < 60; i++) factor = updateFactor(factor, 10_000, 13_500);
  expect(factor).toBeCloseTo(1.35, 4);
});

it("holds the factor between 0.5 and 3", () => {
  let factor = 1;
  for (let i = 0; i < 200; i++) factor = updateFactor(factor, 1, 1_000_000);
  expect(factor).toBeCloseTo(3, 9);
  for (let i = 0; i < 200; i++) factor = updateFactor(factor, 1_000_000, 1);
  expect(factor).toBeCloseTo(0.5, 9);
});

it("is moved little by one report that is far off", () => {
  expect(updateFactor(1, 1, 1_000_000)).toBeCloseTo(1.4, 9);
  expect(updateFactor(1, 1_000_000, 1)).toBeCloseTo(0.9, 9);
});

it("learns nothing from an empty or impossible report", () => {
  for (const [estimated, reported] of [
    [0, 100],
    [100, 0],
    [-5, 100],
    [100, Number.NaN],
    [100, Number.POSITIVE_INFINITY],
  ] as const) {
    expect(updateFactor(1.3, estimated, reported)).toBe(1.3);
  }
});
