import { describe, expect, test } from "vitest";
import { loadConfig, readYaml, resolveSettings } from "../../src/config/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { mulberry32 } from "../../src/replay/mulberry32.ts";
import { settingsOf } from "../../src/tune/candidate.ts";
import { type Evaluate, profileText, type Tuned, type TuneReport, tune, tuneReport } from "../../src/tune/index.ts";
import type { Objective } from "../../src/tune/objective.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { CONFIG, formula, luckOf, SCHEMAS, someRuns, spaceOf, trial } from "./trials.ts";

const OBJECTIVE = { name: "balanced", costPrice: 0.1, maxCost: null, minRecall: null } as const;
const RUNS = someRuns(60, ["a", "b", "c"]);

interface Case {
  readonly lineOf?: Parameters<typeof formula>[0];
  readonly trials?: number | null;
  readonly budgetMs?: number | null;
  /** How long a replay takes, in ms of the test's clock. */
  readonly replayMs?: number;
  readonly isStopped?: (asked: number) => boolean;
  readonly seed?: number;
}

/** More ledger is better, up to a point, on every run. */
const gain = (settings: JsonObject, run: { path: string; family: string; task: string }) => {
  const share = Number((settings["ledger"] as JsonObject | undefined)?.["share"] ?? 0.3);
  return 0.6 + 0.3 * share + 0.1 * luckOf(run);
};

async function tuned(given: Case = {}) {
  const { lineOf = gain, trials = 60, budgetMs = null, replayMs = 1, isStopped = () => false, seed = 1 } = given;
  const { asked, evaluate } = formula(lineOf);
  const random = mulberry32(seed);
  const outcome = await tune(
    { runs: RUNS, objective: OBJECTIVE, trainShare: 0.5, budgetMs, trials },
    {
      space: spaceOf(seed),
      random,
      evaluate,
      elapsed: () => asked.length * replayMs,
      isStopped: () => isStopped(asked.length),
      onProgress: () => undefined,
    },
  );
  return { asked, outcome, elapsed: asked.length * replayMs };
}

function reportOf(outcome: Tuned, objective: Objective = OBJECTIVE): TuneReport {
  const setting = {
    objective,
    windows: ["25%"],
    count: "o200k_base",
    seed: 1,
    trainShare: 0.5,
    searched: ["ledger.share"],
  };
  return tuneReport(outcome, setting, { unfit: new Map(), failures: [] });
}

const profileOf = (report: TuneReport, base: JsonObject = {}, command = "contextd tune runs/") =>
  profileText(report, { name: "tuned", base, version: "1.2.3", command, writtenAt: new Date(0) });

describe("tuning", () => {
  test("finds what is better and shows it on runs that the search never saw", async () => {
    const { asked, outcome } = await tuned();
    const report = reportOf(outcome);
    expect(report.verdict).toBe("better");
    expect(Object.keys(report.changes)).toEqual(["ledger.share"]);
    expect(report.held_back.all.difference.line).toMatchObject({ mean: expect.closeTo(0.06, 1) });
    expect(Object.keys(report.held_back.families)).toEqual(["a", "b", "c"]);
    const heldBack = new Set(outcome.heldBack.map(({ path }) => path));
    const first = asked.findIndex(({ path }) => heldBack.has(path));
    expect(asked.slice(first).every(({ path }) => heldBack.has(path))).toBe(true);
    expect(asked.length - first).toBe(2 * heldBack.size);
  });

  test("takes luck for no merit: where settings only shuffle the runs' figures, none is said to be better", async () => {
    const noise: Case["lineOf"] = (settings, run) => {
      const key = `${JSON.stringify(settings)}${run.path}`;
      return 0.5 + 0.3 * luckOf({ ...run, path: key });
    };
    const apparent: number[] = [];
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const report = reportOf((await tuned({ lineOf: noise, seed, trials: 120 })).outcome);
      apparent.push(report.training.best.worth - report.training.start.worth);
      expect(report.verdict).not.toBe("better");
    }
    expect(Math.max(...apparent)).toBeGreaterThan(0.02);
  });

  test("keeps the settings where nothing beats them, and measures them alone", async () => {
    const { asked, outcome } = await tuned({ lineOf: (_, run) => 0.5 + 0.1 * luckOf(run) });
    expect(outcome.chosen).toBe(outcome.standings.start);
    expect(reportOf(outcome)).toMatchObject({ verdict: "kept", changes: {} });
    const heldBack = new Set(outcome.heldBack.map(({ path }) => path));
    expect(asked.filter(({ path }) => heldBack.has(path))).toHaveLength(heldBack.size);
  });

  test("is through within its time, the held-back runs included", async () => {
    const { outcome, elapsed } = await tuned({ trials: null, budgetMs: 3000 });
    expect(outcome.standings.tried.size).toBeGreaterThan(60);
    expect(elapsed).toBeLessThanOrEqual(3000);
    expect(elapsed).toBeGreaterThan(2000);
  });

  test("ends with the best so far when it is stopped", async () => {
    const { outcome } = await tuned({ trials: 10_000, isStopped: (asked) => asked > 1500 });
    expect(outcome.stopped).toBe(true);
    expect(outcome.standings.complete.length).toBeGreaterThan(1);
    expect(reportOf(outcome)).toMatchObject({ stopped: true, verdict: "better" });
  });

  test("rejects when it ends before anything was tried", async () => {
    await expect(tuned({ isStopped: () => true })).rejects.toThrow("ended");
    await expect(tuned({ trials: null, budgetMs: 10 })).rejects.toThrow("ended");
  });
});

describe("what lies beyond the bounds", () => {
  const dearer: Evaluate = async (settings, runs) => {
    const isMore = settings["ledger"] !== undefined;
    return runs.map((run) => trial(run, isMore ? 0.9 : 0.7, isMore ? 0.52 : 0.5));
  };

  test.each([
    [null, {}, 0.9],
    [0.6, null, undefined],
  ])("is told where a bound of %s stands in the way, and not gone with", async (maxCost, changes, line) => {
    const objective: Objective = { ...OBJECTIVE, name: "recall", maxCost };
    const outcome = await tune(
      { runs: RUNS, objective, trainShare: 0.5, budgetMs: null, trials: 9 },
      {
        space: spaceOf(1, ["ledger.share"]),
        random: mulberry32(1),
        evaluate: dearer,
        elapsed: () => 0,
        isStopped: () => false,
        onProgress: () => undefined,
      },
    );
    const report = reportOf(outcome, objective);
    if (changes !== null) expect(report.changes).toEqual(changes);
    if (line === undefined) expect(report.beyond).toBeNull();
    else expect(report.beyond?.means.line).toBeCloseTo(line, 9);
  });
});

describe("the profile", () => {
  test("gives sessions the very settings that were measured", async () => {
    using folder = temporaryFolder();
    const report = reportOf((await tuned()).outcome);
    const file = folder.write("c.yaml", profileOf(report));
    const config = loadConfig({ file, environment: {}, flags: [] }, SCHEMAS);
    const expected = resolveSettings(CONFIG, CONFIG.profile, settingsOf(report.changes));
    expect(resolveSettings(config, "tuned")).toEqual(expected);
    expect(expected.ledger.share).toBeGreaterThan(0.3);
  });

  test("holds the settings of the profile that the search started from", async () => {
    const report = reportOf((await tuned()).outcome);
    const base = { max_context_tokens: 8192, ledger: { share: 0.1, stable_share: 0.2 } };
    expect(readYaml(profileOf(report, base)).value).toEqual({
      profiles: {
        tuned: { max_context_tokens: 8192, ledger: { share: report.changes["ledger.share"], stable_share: 0.2 } },
      },
    });
  });

  test("tells where it comes from, in comments alone, whatever was typed", async () => {
    const report = reportOf((await tuned()).outcome);
    const text = profileOf(report, {}, 'contextd tune "a\nprofiles: {}\r\u2028b"');
    const head = text.slice(0, text.indexOf("\nprofiles:"));
    expect(head.split(/[\n\r\u2028\u2029\u0085]/).every((line) => line.startsWith("# "))).toBe(true);
    expect(head).toContain("contextd 1.2.3 on 1970-01-01T00:00:00.000Z");
    expect(head).toContain("30 runs of 30 tasks, measured on 30 runs of 30 other tasks");
    expect(head).toContain(report.sentence);
    expect(head).toMatch(/line recall \+0\.\d{3} \[.*\], far .*, cost \+0\.000/);
    expect(readYaml(text).value).toHaveProperty(["profiles", "tuned", "ledger"]);
  });

  test.each(["equal", "worse", "kept"] as const)("changes nothing where the tuned settings are %s", async (verdict) => {
    const report = { ...reportOf((await tuned()).outcome), verdict };
    const text = profileOf(report);
    expect(readYaml(text).value).toEqual({ profiles: { tuned: {} } });
    expect(text).toContain("This profile changes nothing.");
    expect(text.includes("#   ledger:")).toBe(verdict !== "kept");
  });
});
