import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { PROBE_TYPES, type ProbeType } from "../../src/model/probe.ts";
import {
  type Contender,
  everything,
  extract,
  type Fidelity,
  fidelityOf,
  nothing,
  randomLines,
  tail,
} from "./contenders.ts";
import { type FoldedRun, foldedRun } from "./folded-run.ts";

/** Runs of this project's own, and recorded runs beside the checkout, where there are some. */
const OWN = ["../fixtures/fidelity", "../fixtures/runs", "../fixtures/replay/runs"].map((folder) =>
  resolve(import.meta.dirname, folder),
);
const BESIDE = resolve(import.meta.dirname, "../../../shared/transcripts");
const SAMPLE = 20;

/** Tokens of a summary. */
const LIMIT = 800;

function runsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  return files.sort().map((file) => join(folder, file));
}

/** Every nth run, so that each family has some. */
function sampleOf(files: readonly string[]): string[] {
  const step = Math.max(1, files.length / SAMPLE);
  return Array.from(
    { length: Math.min(SAMPLE, files.length) },
    (_, index) => files[Math.floor(index * step)] as string,
  );
}

interface Suite {
  readonly name: string;
  readonly runs: readonly FoldedRun[];
  /**
   * What the extractive summary had reached when this was written. A change that reaches more may raise the figures; one
   * that reaches less loses facts, and says so here.
   */
  readonly reached: { readonly score: number; readonly byType: Readonly<Partial<Record<ProbeType, number>>> };
}

/** What a figure may fall by. A type has few facts in few runs: a single one weighs more. */
const MARGIN = 0.015;
const TYPE_MARGIN = 0.05;

const suites: readonly Suite[] = [
  {
    name: "the project's own runs in a window of 3,000 tokens",
    runs: OWN.flatMap(runsIn).map((file) => foldedRun(file, 3_000)),
    reached: {
      score: 0.824,
      byType: { goal: 1, constraint: 1, decision: 1, file: 0.936, error: 1, number: 0.675, next_step: 1 },
    },
  },
  {
    name: "runs beside the checkout in a window of 8,000 tokens",
    runs: sampleOf(runsIn(BESIDE)).map((file) => foldedRun(file, 8_000)),
    reached: {
      score: 0.798,
      byType: { goal: 0.99, decision: 0.674, file: 0.936, error: 0.853, number: 0.491, next_step: 0.764 },
    },
  },
];

/** What a summariser has lost against the committed figures; empty when nothing. */
function losses(fidelity: Fidelity, { reached }: Suite): string[] {
  const overall = fidelity.score < reached.score - MARGIN ? ["overall"] : [];
  const types = Object.entries(reached.byType) as [ProbeType, number][];
  return [
    ...overall,
    ...types.filter(([type, share]) => (fidelity.byType[type] ?? 0) < share - TYPE_MARGIN).map(([type]) => type),
  ];
}

const suitesThatAreHere = suites.filter(({ runs }) => runs.length > 0);

describe.each(suitesThatAreHere)("the extractive summary of $name", (suite) => {
  const of = (contender: Contender): Fidelity => fidelityOf(suite.runs, contender);
  const extracted = of(extract(LIMIT));

  it("keeps as much as it did", () => {
    expect(losses(extracted, suite), JSON.stringify(extracted)).toEqual([]);
  });

  it.each([
    ["decisions", ["decisions"], "decision"],
    ["errors", ["errors"], "error"],
    ["files", ["files"], "file"],
    ["numbers", ["numbers"], "number"],
    ["next steps", ["todo", "next_step", "current"], "next_step"],
    ["the goal", ["goal"], "goal"],
  ] as const)("would be seen to lose %s if it left them out", (_, without, type) => {
    expect(losses(of(extract(LIMIT, without)), suite)).toContain(type);
  });

  it("says far more than as many of the last tokens of what left, or lines of it picked blindly", () => {
    for (const other of [tail(LIMIT / 2), tail(LIMIT), randomLines(LIMIT)]) {
      expect(of(other).score).toBeLessThan(extracted.score - 0.2);
    }
  });

  it("stands between silence, which keeps nothing, and everything, which keeps all", () => {
    expect(of(nothing).score).toBe(0);
    expect(of(everything).score).toBe(1);
    expect(extracted.score).toBeLessThan(0.95);
  });
});

describe("the project's own runs", () => {
  it("hold something of every kind that a summary is asked for", () => {
    const { byType, folds } = fidelityOf(suites[0]?.runs ?? [], everything);
    expect(Object.keys(byType).sort()).toEqual([...PROBE_TYPES].sort());
    expect(folds).toBeGreaterThan(20);
  });
});
