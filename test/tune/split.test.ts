import { describe, expect, test } from "vitest";
import { mulberry32 } from "../../src/replay/mulberry32.ts";
import { splitByTask, spreadTasks } from "../../src/tune/split.ts";
import type { TuneRun } from "../../src/tune/trial.ts";
import { someRuns } from "./trials.ts";

/** Two or three runs of each task, three families of unequal size. */
const RUNS: readonly TuneRun[] = Array.from({ length: 90 }, (_, at) => {
  const task = Math.floor(at / 2.5);
  const family = task < 20 ? "large" : task < 30 ? "middle" : "small";
  return { path: `${at}`, family, task: `${family}:${task}` };
});

const tasks = (runs: readonly TuneRun[]) => new Set(runs.map(({ task }) => task));

describe("parting runs", () => {
  test("has every run on one side and no task on both", () => {
    for (let seed = 0; seed < 20; seed++) {
      const { training, heldBack } = splitByTask(RUNS, 0.5, mulberry32(seed));
      expect([...training, ...heldBack].map(({ path }) => Number(path)).sort((a, b) => a - b)).toEqual(
        RUNS.map((_, at) => at),
      );
      expect([...tasks(training)].filter((task) => tasks(heldBack).has(task))).toEqual([]);
    }
  });

  test.each([0.3, 0.5, 0.7])("gives each family's share of the tasks to training, to within one: %d", (share) => {
    const { training } = splitByTask(RUNS, share, mulberry32(3));
    for (const family of ["large", "middle", "small"]) {
      const of = (runs: readonly TuneRun[]) => tasks(runs.filter((run) => run.family === family)).size;
      expect(Math.abs(of(training) - share * of(RUNS))).toBeLessThanOrEqual(1);
    }
  });

  test("is the same for a seed and another for another", () => {
    const part = (seed: number) => splitByTask(RUNS, 0.5, mulberry32(seed)).training.map(({ path }) => path);
    expect(part(1)).toEqual(part(1));
    expect(part(1)).not.toEqual(part(2));
  });

  test("refuses too few tasks and says how many it takes", () => {
    expect(() => splitByTask(someRuns(9), 0.5, mulberry32(1))).toThrow(/takes 10 tasks or more .* these runs have 9/);
    expect(() => splitByTask(someRuns(16), 0.8, mulberry32(1))).toThrow(/takes 23 tasks or more/);
    expect(splitByTask(someRuns(10), 0.5, mulberry32(1)).heldBack).toHaveLength(5);
    expect(splitByTask(someRuns(23), 0.8, mulberry32(1)).heldBack).toHaveLength(5);
  });

  test("refuses many runs of few tasks", () => {
    const runs = Array.from({ length: 40 }, (_, at) => ({ path: `${at}`, family: "a", task: `a:${at % 4}` }));
    expect(() => splitByTask(runs, 0.5, mulberry32(1))).toThrow(/these runs have 4 that fit/);
  });
});

describe("spreading tasks", () => {
  test("keeps runs of a task together, and has the families in every beginning as in the whole", () => {
    const spread = spreadTasks(RUNS, mulberry32(5));
    expect(spread.map((task) => tasks(task).size)).toEqual(spread.map(() => 1));
    expect(spread.flat()).toHaveLength(RUNS.length);
    for (const size of [9, 18, 27]) {
      const large = spread.slice(0, size).filter(([run]) => run?.family === "large").length;
      expect(Math.abs(large - (size * 20) / 36)).toBeLessThanOrEqual(2);
    }
  });
});
