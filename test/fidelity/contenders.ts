import { extractiveSummary } from "../../src/compression/summary/extractive.ts";
import { renderSummary, type SectionName, type SummarySections } from "../../src/compression/summary/sections.ts";
import { buildProbes } from "../../src/fidelity/build.ts";
import {
  type CurvePoint,
  initialGenerations,
  judgeFold,
  keptProbes,
  nextGenerations,
} from "../../src/fidelity/generations.ts";
import type { Passage } from "../../src/model/passage.ts";
import { PROBE_TYPES, type ProbeType } from "../../src/model/probe.ts";
import { mulberry32 } from "../../src/replay/mulberry32.ts";
import { type FoldedRun, roughTokens } from "./folded-run.ts";

const CHARACTERS_A_TOKEN = 4;

/** A way to fold. It is made anew for each run, and answers the text that stands for all that has left so far. */
export type Contender = (goal: string) => (dropped: readonly Passage[]) => string;

/** The bound below: nothing is said of what has left. */
export const nothing: Contender = () => () => "";

/** The last tokens of what left: what a summary must beat. */
export function tail(tokens: number): Contender {
  return () => (dropped) =>
    textsOf(dropped)
      .join("\n")
      .slice(-tokens * CHARACTERS_A_TOKEN);
}

/** Lines picked blindly, of what left and of what was picked before. */
export function randomLines(tokens: number): Contender {
  return () => {
    const random = mulberry32(7);
    let kept: string[] = [];
    return (dropped) => {
      const lines = [...kept, ...textsOf(dropped).flatMap((text) => text.split("\n"))].filter(
        (line) => line.trim() !== "",
      );
      kept = [];
      let left = tokens * CHARACTERS_A_TOKEN;
      for (let tries = 0; tries < 3_000 && left > 0; tries++) {
        const line = lines[Math.floor(random() * lines.length)] ?? "";
        if (line.length > left) continue;
        kept.push(line);
        left -= line.length + 1;
      }
      return kept.join("\n");
    };
  };
}

/** The extractive summary, anchored on the one before; `without`: what a worse summariser would leave out. */
export function extract(tokens: number, without: readonly SectionName[] = []): Contender {
  return (goal) => {
    let previous: SummarySections | null = null;
    return (passages) => {
      previous = extractiveSummary({
        ...{ previous, passages, goal, constraints: [] },
        ...{ limitTokens: tokens, count: roughTokens },
      });
      return renderSummary({ ...previous, ...Object.fromEntries(without.map((name) => [name, []])) });
    };
  };
}

/** Everything that has left: what can be asked for can be answered. */
export const everything: Contender = (goal) => {
  let text = goal;
  return (dropped) => {
    text = [text, ...textsOf(dropped)].join("\n");
    return text;
  };
};

export interface Fidelity {
  readonly folds: number;
  readonly probes: number;
  /** Mean over the runs of the mean over their folds. */
  readonly score: number;
  /** Mean over the folds that were asked for the type. */
  readonly byType: Readonly<Partial<Record<ProbeType, number>>>;
  /** Mean score of what was folded one, two, … folds ago. */
  readonly curve: readonly number[];
}

/** How faithful the contender's text is, by itself: neither the task nor live messages help it. */
export function fidelityOf(runs: readonly FoldedRun[], contender: Contender): Fidelity {
  const scores: number[] = [];
  const byType = new Map<ProbeType, number[]>();
  const points: CurvePoint[] = [];
  let folds = 0;
  let probes = 0;
  for (const run of runs) {
    const fold = contender(run.goal);
    let state = initialGenerations();
    const own = run.folds.map(({ dropped }) => {
      const asked = buildProbes({ goal: run.goal, constraints: [], passages: dropped });
      const { verdict, curve, generation } = judgeFold(state, asked, [fold(dropped)]);
      state = nextGenerations(state, generation, keptProbes(asked));
      points.push(...curve);
      for (const type of PROBE_TYPES) {
        const share = verdict.byType[type];
        if (share !== undefined) byType.set(type, [...(byType.get(type) ?? []), share]);
      }
      folds++;
      probes += asked.length;
      return verdict.score;
    });
    if (own.length > 0) scores.push(mean(own));
  }
  const ages = [...new Set(points.map(({ age }) => age))].sort((a, b) => a - b);
  return {
    folds,
    probes,
    score: mean(scores),
    byType: Object.fromEntries([...byType].map(([type, shares]) => [type, mean(shares)])),
    curve: ages.map((age) => mean(points.filter((point) => point.age === age).map(({ score }) => score))),
  };
}

function textsOf(passages: readonly Passage[]): string[] {
  return passages.map(({ text }) => text);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
