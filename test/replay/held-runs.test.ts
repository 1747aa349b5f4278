import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type HeldRun, heldRun } from "./held-run.ts";

/** Runs of this project's own, and recorded runs beside the checkout, where there are some. */
const OWN = ["../fixtures/fidelity", "../fixtures/runs", "../fixtures/replay/runs"].map((folder) =>
  resolve(import.meta.dirname, folder),
);
const BESIDE = resolve(import.meta.dirname, "../../../shared/transcripts");
const LONG = process.env["CONTEXTD_LONG"] === "1";
/** One of so many runs beside the checkout is played, and one of so many of these for the control. */
const SAMPLE = LONG ? 1 : 5;
const CONTROL = LONG ? 1 : 3;
const WINDOWS = [8_192, 16_384];

/** Least mean of all passes of all runs in a window. */
const LEAST_MEAN = 0.85;
/** What passes without a summary keep less of, at least; measured: .10 to .15. */
const SUMMARY_ADDS = 0.06;

function runsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  return files.sort().map((file) => join(folder, file));
}

const every = (step: number, files: readonly string[]) => files.filter((_, index) => index % step === 0);

const suites = [
  { name: "the project's own", files: OWN.flatMap(runsIn), control: OWN.flatMap(runsIn) },
  {
    name: "those beside the checkout",
    files: every(SAMPLE, runsIn(BESIDE)),
    control: every(SAMPLE * CONTROL, runsIn(BESIDE)),
  },
].filter(({ files }) => files.length > 0);

/** Runs by file, window and settings: each is played once. */
const played = new Map<string, HeldRun>();

async function play(files: readonly string[], windowTokens: number, settings = {}): Promise<HeldRun[]> {
  const runs: HeldRun[] = [];
  for (const file of files) {
    const key = JSON.stringify([file, windowTokens, settings]);
    const run = played.get(key) ?? (await heldRun(file, windowTokens, settings));
    played.set(key, run);
    runs.push(run);
  }
  return runs;
}

/** Runs that the window can hold: not those whose system prompt and task are larger than it. */
const holdable = (runs: readonly HeldRun[]) => runs.filter(({ turns, beyondWindow }) => beyondWindow < turns / 2);

/** Scores of the lexical judge, pass by pass. */
const scoresOf = (runs: readonly HeldRun[]) =>
  holdable(runs).flatMap(({ passes }) => passes.flatMap(({ fidelity }) => fidelity?.score ?? []));

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const timeout = (LONG ? 30 : 4) * 60_000;

describe.each(suites)("recorded runs without a model, $name", ({ files, control }) => {
  describe.each(WINDOWS)("in a window of %i tokens", (windowTokens) => {
    it("are held for their whole length, and each pass is told with what it kept", { timeout }, async () => {
      const runs = await play(files, windowTokens);
      for (const { name, turns, faults, passes } of runs) {
        expect(faults, name).toEqual([]);
        expect(turns, name).toBeGreaterThan(0);
        for (const { fidelity } of passes) if (fidelity) expect(fidelity.judge).toBe("lexical");
      }
      const dropping = holdable(runs).flatMap(({ passes }) => passes.filter(({ drops }) => drops));
      expect(dropping.length).toBeGreaterThanOrEqual(8);
      // A pass that took out a greeting, in a run without a task, has nothing to ask for.
      const judged = dropping.filter(({ fidelity }) => fidelity !== null);
      expect(judged.length).toBeGreaterThanOrEqual(0.97 * dropping.length);
      expect(mean(scoresOf(runs))).toBeGreaterThanOrEqual(LEAST_MEAN);
    });
  });

  it("keep clearly less where nobody summarises", { timeout }, async () => {
    const [windowTokens = 0] = WINDOWS;
    const summarised = await play(control, windowTokens);
    const bare = await play(control, windowTokens, { compaction: { summarizer: "none" } });
    for (const { told } of bare.flatMap(({ passes }) => passes)) expect(told.summarizer).toBe("none");
    expect(mean(scoresOf(bare))).toBeLessThan(mean(scoresOf(summarised)) - SUMMARY_ADDS);
  });
});
