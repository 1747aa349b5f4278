import { describe, expect, test } from "vitest";
import { differences, meanWithError } from "../../src/tune/evidence.ts";
import { someRuns, trial } from "./trials.ts";

describe("a mean with its error over tasks", () => {
  test("is the textbook error of a mean where each task has one run", () => {
    const values = [0.1, 0.4, 0.35, 0.8, 0.6];
    const { mean, standardError } = meanWithError(values.map((value, at) => ({ task: `t${at}`, value })));
    const variance = values.reduce((sum, value) => sum + (value - 0.45) ** 2, 0) / 4;
    expect(mean).toBeCloseTo(0.45, 12);
    expect(standardError).toBeCloseTo(Math.sqrt(variance / 5), 12);
  });

  test("does not get smaller by runs of the same tasks", () => {
    const once = [0, 1, 0, 1, 1].map((value, at) => ({ task: `t${at}`, value }));
    const fourTimes = [...once, ...once, ...once, ...once];
    expect(meanWithError(fourTimes).standardError).toBeCloseTo(meanWithError(once).standardError, 12);
  });

  test("is infinite for one task: it tells nothing of others", () => {
    expect(meanWithError([{ task: "t", value: 1 }]).standardError).toBe(Number.POSITIVE_INFINITY);
  });
});

test("differences pair the same run at the same window, and leave out what one side has not", () => {
  const [first, second] = someRuns(2) as [ReturnType<typeof someRuns>[0], ReturnType<typeof someRuns>[0]];
  const of = [trial(first, 0.9, 1, "25%"), trial(first, 0.5, 1, "16k"), trial(second, 0.7, 1, "25%")];
  const to = [trial(second, 0.5, 1, "25%"), trial(first, 0.25, 1, "16k")];
  expect(differences(of, to, ({ figures }) => figures.line)).toEqual([
    { task: first.task, value: 0.25 },
    { task: second.task, value: expect.closeTo(0.2, 12) },
  ]);
});
