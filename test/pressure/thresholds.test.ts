import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { autoThresholds, effectiveThresholds } from "../../src/pressure/thresholds.ts";

describe("automatic thresholds", () => {
  it.each([
    [4_096, 0.4, 0.65, 0.8],
    [8_000, 0.4, 0.65, 0.8],
    [8_192, 0.4, 0.65, 0.8],
    [16_000, 0.45, 0.7, 0.85],
    [32_768, 0.45, 0.7, 0.85],
    [128_000, 0.5, 0.75, 0.9],
    [131_072, 0.5, 0.75, 0.9],
    [200_000, 0.55, 0.8, 0.9],
    [1_000_000, 0.55, 0.8, 0.9],
  ])("follow the size of a window of %i tokens", (window, yellow, orange, red) => {
    expect(autoThresholds(window)).toEqual({ yellow, orange, red });
  });
});

describe("effective thresholds", () => {
  it("leave the configured ones alone where the output reserve fits above red", () => {
    const configured = { yellow: 0.5, orange: 0.75, red: 0.9 };
    expect(effectiveThresholds(configured, 128_000, 6_400)).toEqual(configured);
    expect(effectiveThresholds("auto", 128_000, 6_400)).toEqual(configured);
  });

  it("lower red to what the output reserve leaves, and only red where the others keep their distance", () => {
    const thresholds = effectiveThresholds("auto", 8_000, 2_000);
    expect(thresholds).toEqual({ yellow: 0.4, orange: 0.65, red: 0.75 });
  });

  it("push orange and yellow down before a red that would overtake them", () => {
    const thresholds = effectiveThresholds({ yellow: 0.6, orange: 0.7, red: 0.9 }, 10_000, 4_000);
    expect(thresholds.red).toBeCloseTo(0.6, 10);
    expect(thresholds.orange).toBeCloseTo(0.55, 10);
    expect(thresholds.yellow).toBeCloseTo(0.5, 10);
  });

  it("keep gaps that were configured smaller than the least one", () => {
    const thresholds = effectiveThresholds({ yellow: 0.88, orange: 0.89, red: 0.9 }, 1_000, 500);
    expect(thresholds.red).toBeCloseTo(0.5, 10);
    expect(thresholds.orange).toBeCloseTo(0.49, 10);
    expect(thresholds.yellow).toBeCloseTo(0.48, 10);
  });

  it("refuse a reserve that leaves no window", () => {
    expect(() => effectiveThresholds("auto", 1_000, 1_000)).toThrow(RangeError);
    expect(() => effectiveThresholds("auto", 1_000, -1)).toThrow(RangeError);
  });

  it("stay ordered and above nothing, with red at most what the reserve leaves, for any reserve", () => {
    const shares = fc
      .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 999 }))
      .filter((values) => new Set(values).size === 3)
      .map((values) => [...values].sort((a, b) => a - b).map((value) => value / 1000));
    fc.assert(
      fc.property(
        shares,
        fc.integer({ min: 100, max: 2_000_000 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (values, window, reserveShare) => {
          const [yellow = 0, orange = 0, red = 0] = values;
          const reserve = Math.floor(window * reserveShare);
          const effective = effectiveThresholds({ yellow, orange, red }, window, reserve);
          expect(effective.red).toBeLessThanOrEqual(1 - reserve / window);
          expect(effective.yellow).toBeGreaterThan(0);
          expect(effective.orange).toBeGreaterThan(effective.yellow);
          expect(effective.red).toBeGreaterThan(effective.orange);
          expect(effective.orange).toBeLessThanOrEqual(orange);
          expect(effective.yellow).toBeLessThanOrEqual(yellow);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
