import { describe, expect, test } from "vitest";
import { ContextdError } from "../../src/model/errors.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Candidate } from "../../src/tune/candidate.ts";
import { choose, simplify } from "../../src/tune/choice.ts";
import type { Objective } from "../../src/tune/objective.ts";
import { Standings } from "../../src/tune/standings.ts";
import { formula, luckOf, someRuns, spaceOf, trial } from "./trials.ts";

const RUNS = someRuns(30);
const BALANCED: Objective = { name: "balanced", costPrice: 0.1, maxCost: null, minRecall: null };
const never = () => false;

async function standingsOf(
  candidates: readonly Candidate[],
  lineOf: Parameters<typeof formula>[0],
  objective: Objective = BALANCED,
) {
  const standings = await Standings.open(RUNS, objective, formula(lineOf).evaluate, never);
  for (const candidate of candidates) await standings.finish(candidate, never);
  return standings;
}

const ledger = (settings: JsonObject) => settings["ledger"] as JsonObject | undefined;
const units = (settings: JsonObject) => (settings["eviction"] as JsonObject | undefined)?.["keep_recent_units"];

describe("the choice", () => {
  test("is the start when nothing is better", async () => {
    const standings = await standingsOf([{ "ledger.share": 0.5 }, { "ledger.share": 0.2 }], (settings) =>
      ledger(settings)?.["share"] === 0.5 ? 0.4 : 0.5,
    );
    expect(choose(standings)).toBe(standings.start);
  });

  test("is the start when the best is above it by less than two standard errors", async () => {
    const standings = await standingsOf([{ "ledger.share": 0.5 }], (settings, run) =>
      ledger(settings) === undefined ? 0.5 : 0.5 + LUCK * (luckOf(run) - meanLuck()) + 1.5 * errorOf(LUCK),
    );
    expect(standings.complete[0]?.candidate).toEqual({ "ledger.share": 0.5 });
    expect(choose(standings)).toBe(standings.start);
  });

  test("is the best when it is above the start by more", async () => {
    const standings = await standingsOf([{ "ledger.share": 0.5 }], (settings, run) =>
      ledger(settings) === undefined ? 0.5 : 0.5 + LUCK * (luckOf(run) - meanLuck()) + 2.5 * errorOf(LUCK),
    );
    expect(choose(standings).candidate).toEqual({ "ledger.share": 0.5 });
  });

  test("is none that is simpler at the price of most of the gain", async () => {
    const candidates = [{ "eviction.keep_recent_units": 8, "ledger.share": 0.5 }, { "ledger.share": 0.5 }];
    const standings = await standingsOf(candidates, (settings, run) => {
      if (ledger(settings) === undefined) return 0.5;
      const luck = LUCK * (luckOf(run) - meanLuck());
      // The simpler one has 0.4 of the gain, and a part of the luck of its own that leaves the two even.
      return units(settings) === 8 ? 0.5 + 2.5 * errorOf(LUCK) + luck : 0.5 + errorOf(LUCK) - luck;
    });
    expect(choose(standings).candidate).toEqual(candidates[0]);
  });

  test("is the simplest of those that are even", async () => {
    const complex = { "eviction.keep_recent_units": 8, "ledger.share": 0.5 };
    const standings = await standingsOf([complex, { "ledger.share": 0.5 }], (settings, run) =>
      ledger(settings) === undefined ? 0.5 : 0.6 + (units(settings) === 8 ? 0.001 + 0.1 * luckOf(run) : 0),
    );
    expect(choose(standings).candidate).toEqual({ "ledger.share": 0.5 });
  });

  test("keeps the bounds, whatever else is worth more", async () => {
    const standings = await Standings.open(
      RUNS,
      { name: "recall", costPrice: 0.1, maxCost: 0.6, minRecall: null },
      async (settings, runs) => {
        const share = Number(ledger(settings)?.["share"] ?? 0.3);
        return runs.map((run) => trial(run, 0.5 + share, 0.3 + share));
      },
      never,
    );
    for (const share of [0.1, 0.25, 0.4, 0.6]) await standings.finish({ "ledger.share": share }, never);
    expect(standings.complete[0]?.candidate).toEqual({});
    expect(standings.complete.filter(({ excess }) => excess === 0)).toHaveLength(3);
  });

  test("is the one that breaks the bounds least where none keeps them", async () => {
    const standings = await standingsOf(
      [{ "ledger.share": 0.5 }, { "ledger.share": 0.6 }],
      (settings) => 0.5 + Number(ledger(settings)?.["share"] ?? 0) / 10,
      { name: "cost", costPrice: 0.1, maxCost: null, minRecall: 0.9 },
    );
    expect(choose(standings).candidate).toEqual({ "ledger.share": 0.6 });
  });
});

describe("making the choice simpler", () => {
  test("leaves the settings that mattered", async () => {
    const candidate = { "eviction.policy": "fifo", "eviction.keep_recent_units": 8, "ledger.share": 0.5 };
    const standings = await standingsOf([candidate], (settings, run) => {
      const gain = ledger(settings) === undefined ? 0 : 0.1;
      return 0.5 + gain + (units(settings) === 8 ? 0.0005 : 0) * (1 + 20 * luckOf(run));
    });
    expect(choose(standings).candidate).toEqual(candidate);
    await simplify(standings, spaceOf(1), never);
    expect(choose(standings).candidate).toEqual({ "ledger.share": 0.5 });
  });

  test("takes nothing back that the gain depends on", async () => {
    const candidate = { "eviction.keep_recent_units": 8, "ledger.share": 0.5 };
    const standings = await standingsOf([candidate], (settings) =>
      units(settings) === 8 && ledger(settings) !== undefined ? 0.7 : 0.5,
    );
    await simplify(standings, spaceOf(1), never);
    expect(choose(standings).candidate).toEqual(candidate);
  });
});

test("settings that cannot be replayed are left out, other faults are not", async () => {
  const { evaluate } = formula((settings) => {
    if (units(settings) === 8) throw new ContextdError("invalid_params", "does not fit");
    if (units(settings) === 6) throw new TypeError("a fault");
    return 0.5;
  });
  const standings = await Standings.open(RUNS, BALANCED, evaluate, never);
  expect(await standings.finish({ "eviction.keep_recent_units": 8 }, never)).toBeNull();
  const field = [{ "eviction.keep_recent_units": 8 }, { "eviction.keep_recent_units": 4 }];
  expect(await standings.rank(field, RUNS.slice(0, 5), never)).toEqual([field[1]]);
  await expect(standings.finish({ "eviction.keep_recent_units": 6 }, never)).rejects.toThrow(TypeError);
});

/** How much runs differ. */
const LUCK = 0.3;

/** The standard error of a mean that luck has this much part in: each run is a task. */
function errorOf(luck: number): number {
  const squares = RUNS.reduce((sum, run) => sum + (luck * (luckOf(run) - meanLuck())) ** 2, 0);
  return Math.sqrt(squares / (RUNS.length - 1) / RUNS.length);
}

function meanLuck(): number {
  return RUNS.reduce((sum, run) => sum + luckOf(run), 0) / RUNS.length;
}
