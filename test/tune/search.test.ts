import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { mulberry32 } from "../../src/replay/mulberry32.ts";
import { search } from "../../src/tune/search.ts";
import { Interrupted, Standings } from "../../src/tune/standings.ts";
import type { TuneRun } from "../../src/tune/trial.ts";
import { formula, luckOf, someRuns, spaceOf } from "./trials.ts";

const RUNS = someRuns(36);
const OBJECTIVE = { name: "balanced", costPrice: 0.1, maxCost: null, minRecall: null } as const;
const never = () => false;

/** Best at a ledger of 0.5 and a depth of 0.3, and worth something on the way there. */
function hill(settings: JsonObject, run: TuneRun): number {
  const { ledger, eviction } = settings as Record<string, Record<string, number> | undefined>;
  const off = Math.abs((ledger?.["share"] ?? 0.3) - 0.5) + Math.abs((eviction?.["target_utilization"] ?? 0.45) - 0.3);
  return 0.8 - off + 0.1 * luckOf(run);
}

async function searched(trials: number | null, seed = 1, lineOf = hill, mostAsked?: number) {
  const { asked, evaluate } = formula(lineOf, mostAsked);
  const standings = await Standings.open(RUNS, OBJECTIVE, evaluate, never);
  const space = spaceOf(seed);
  const options = { space, training: RUNS, random: mulberry32(seed), trials, isOver: never };
  const ended = search(standings, options).catch((error: unknown) => error);
  return { asked, standings, ended: await ended };
}

describe("the search", () => {
  test("finds its way to what is best", async () => {
    const { standings } = await searched(180);
    const [best] = standings.complete;
    expect(standings.start.worth).toBeCloseTo(0.8 - 0.35 - 0.05, 1);
    expect(best?.worth).toBeGreaterThan(standings.start.worth + 0.25);
    expect(best?.candidate["ledger.share"]).toBeGreaterThan(0.4);
  });

  test("tries as many settings as it may, and each run with each at most once", async () => {
    const { asked, standings } = await searched(100);
    expect(standings.tried.size - 1).toBe(100);
    expect(new Set(asked.map((one) => JSON.stringify(one))).size).toBe(asked.length);
  });

  test("spends few runs on most settings, and all on a few", async () => {
    const { asked, standings } = await searched(90);
    const onAll = standings.complete.length - 1;
    expect(onAll).toBe(10);
    expect(asked.length).toBeLessThan(0.35 * 91 * RUNS.length);
    for (const standing of standings.complete) expect(standing.trials).toHaveLength(RUNS.length);
  });

  test("is the same for a seed", async () => {
    const outcome = async (seed: number) =>
      (await searched(45, seed)).standings.complete.map(({ candidate }) => candidate);
    expect(await outcome(4)).toEqual(await outcome(4));
    expect(await outcome(4)).not.toEqual(await outcome(5));
  });

  test("goes on from what a longer one begins with", async () => {
    const short = (await searched(45)).asked;
    expect((await searched(90)).asked.slice(0, short.length)).toEqual(short);
  });

  test("ends when it is interrupted, and what is known stays known", async () => {
    const { standings, ended } = await searched(null, 1, hill, 1000);
    expect(ended).toBeInstanceOf(Interrupted);
    expect(standings.complete.length).toBeGreaterThan(2);
    for (const { trials } of standings.complete) expect(trials).toHaveLength(RUNS.length);
  });

  test("ends when nothing is left to try", async () => {
    const { evaluate } = formula(hill);
    const standings = await Standings.open(RUNS, OBJECTIVE, evaluate, never);
    const space = spaceOf(1, ["ledger.enabled"]);
    await search(standings, { space, training: RUNS, random: mulberry32(1), trials: null, isOver: never });
    expect(standings.tried.size - 1).toBe(1);
  });
});
