import { expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { START } from "../../src/tune/candidate.ts";
import { type Evaluate, Standings } from "../../src/tune/standings.ts";
import { someRuns, trial } from "./trials.ts";

const RUNS = someRuns(12);
const RECALL = { name: "recall", costPrice: 0.1, maxCost: null, minRecall: null } as const;
const DEARER = { "ledger.share": 0.5 };
const POORER = { "ledger.share": 0.3 };
const never = () => false;

/** Cost is bounded by the start's: one candidate keeps more for a little more, the other keeps less for much less. */
const evaluate: Evaluate = async (settings, runs) => {
  const share = (settings["ledger"] as JsonObject | undefined)?.["share"];
  const [line, cost] = share === 0.5 ? [0.9, 0.505] : share === 0.3 ? [0.7, 0.4] : [0.8, 0.5];
  return runs.map((run) => trial(run, line, cost));
};

test("on a part of the runs, settings a little beyond a bound may lead; of those tried on all, who keeps the bounds does", async () => {
  const standings = await Standings.open(RUNS, RECALL, evaluate, never);
  expect(await standings.rank([POORER, DEARER], RUNS.slice(0, 6), never)).toEqual([DEARER, POORER]);
  for (const candidate of [POORER, DEARER]) await standings.finish(candidate, never);
  const named = (all: readonly { readonly candidate: unknown }[]) => all.map(({ candidate }) => candidate);
  expect(named(standings.complete)).toEqual([START, POORER, DEARER]);
  expect(named(standings.promising)).toEqual([DEARER, START, POORER]);
});
