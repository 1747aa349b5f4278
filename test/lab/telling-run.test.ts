import { describe, expect, test } from "vitest";
import { tellingRun } from "../../src/lab/index.ts";
import type { LabRun } from "../../src/lab/report.ts";

const run = (id: string, difference: number | null, same: number): LabRun => ({
  ...{ id, turns: 20, tokens: 9000, window_tokens: 4000, a: 0.5, b: 0.5, cost_a: 1, cost_b: 1 },
  ...{ difference, compared_turns: 10, same_turns: same },
});

describe("the run that is shown first", () => {
  test.each([
    ["the worst for B", [run("worst", -0.02, 5), run("same", 0, 10), run("best", 0.3, 0)], "worst"],
    [
      "where B is nowhere worse, that which gains most",
      [run("same", 0, 10), run("some", 0.1, 9), run("most", 0.2, 9)],
      "most",
    ],
    [
      "where all recall as much, the one with the most contexts of its own",
      [run("same", 0, 10), run("other", 0, 4)],
      "other",
    ],
    ["where nothing tells them apart, the first", [run("first", 0, 10), run("second", null, 10)], "first"],
  ] as const)("is %s", (_what, runs, shown) => {
    expect(tellingRun(runs)?.id).toBe(shown);
  });

  test("is none without runs", () => {
    expect(tellingRun([])).toBeUndefined();
  });
});
