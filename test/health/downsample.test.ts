import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { downsample } from "../../src/health/index.ts";
import "../support/fixed-seed.ts";

const anyCurve = fc.array(fc.record({ value: fc.integer({ min: 0, max: 1000 }), isKept: fc.boolean() }), {
  maxLength: 200,
});

describe("downsample", () => {
  it("keeps what must be kept, the ends and the extremes, in order and within the limit wherever that is possible", () => {
    fc.assert(
      fc.property(anyCurve, fc.integer({ min: 2, max: 100 }), (points, most) => {
        const places = downsample(points, most);
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
        const fixed = points.flatMap((point, at) => (point.isKept || at === 0 || at === points.length - 1 ? [at] : []));
        for (const at of fixed) expect(places).toContain(at);
        expect(places.length).toBeLessThanOrEqual(Math.max(most, fixed.length));
        if (most - fixed.length < 2) return;
        const values = points.map(({ value }) => value);
        const shown = places.map((at) => values[at]);
        expect(Math.max(...(shown as number[]))).toBe(Math.max(...values));
        expect(Math.min(...(shown as number[]))).toBe(Math.min(...values));
      }),
    );
  });

  it("leaves a curve alone that is short enough", () => {
    const points = [1, 2, 3].map((value) => ({ value, isKept: false }));
    expect(downsample(points, 3)).toEqual([0, 1, 2]);
  });
});
