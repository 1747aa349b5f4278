import { expect, test } from "vitest";
import { scale, ticks } from "../../../src/replay/html/scale.ts";

test("ticks are round values inside the range", () => {
  expect(ticks([0, 1.5], 6)).toEqual([0, 0.25, 0.5, 0.75, 1, 1.25, 1.5]);
  expect(ticks([0.55, 1], 6)).toEqual([0.6, 0.7, 0.8, 0.9, 1]);
  expect(ticks([0, 9100], 4)).toEqual([0, 2500, 5000, 7500]);
  expect(ticks([0, 0], 4)).toEqual([0]);
});

test("a scale maps its range onto pixels, and one without extent onto its beginning", () => {
  expect(scale([0, 10], [100, 200])(5)).toBe(150);
  expect(scale([3, 3], [100, 200])(3)).toBe(100);
});
