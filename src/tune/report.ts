import type { JsonObject } from "../model/json.ts";
import type { Failure } from "../replay/report.ts";
import { type Candidate, settingsOf } from "./candidate.ts";
import { type Comparisons, compareTrials } from "./comparison.ts";
import { type Objective, pricesOf } from "./objective.ts";
import type { Standing } from "./standings.ts";
import type { Tuned } from "./tune.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** What the figures depend on, beside the runs. */
export interface TuneSetting {
  readonly objective: Objective;
  readonly windows: readonly string[];
  readonly count: string;
  readonly seed: number;
  readonly trainShare: number;
  /** Paths of the settings that were searched. */
  readonly searched: readonly string[];
}

/** What `contextd tune --json` prints. */
export interface TuneReport {
  readonly objective: {
    readonly name: string;
    /** What line recall and cost are worth. */
    readonly prices: { readonly line: number; readonly cost: number };
    readonly max_cost: number | null;
    readonly min_recall: number | null;
  };
  readonly windows: readonly string[];
  readonly count: string;
  readonly seed: number;
  readonly train_share: number;
  readonly searched: readonly string[];
  /** Settings tried, on however few runs, and those of them tried on all training runs. */
  readonly tried: number;
  readonly tried_on_all: number;
  /** Whether the user ended the search. */
  readonly stopped: boolean;
  readonly training: {
    readonly runs: number;
    readonly tasks: number;
    readonly start: Means;
    readonly best: Means;
    readonly tuned: Means;
  };
  /** What promises most of all that breaks the bounds, on the training runs; null: nothing more than the choice. */
  readonly beyond: { readonly changes: Candidate; readonly means: Means } | null;
  readonly held_back: { readonly runs: number; readonly tasks: number } & Comparisons;
  /** The chosen settings, by their paths; empty: those that the search started from. */
  readonly changes: Candidate;
  readonly verdict: Verdict["name"];
  readonly sentence: string;
  /** Runs that fit no window, by the reasons of their windows. */
  readonly left_out: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
}

interface Means {
  readonly line: number;
  readonly cost: number;
  readonly worth: number;
}

/** Runs that were not tuned on. */
export interface LeftOut {
  /** Those that fit no window, by the reasons of their windows. */
  readonly unfit: ReadonlyMap<string, number>;
  readonly failures: readonly Failure[];
}

export function tuneReport(tuned: Tuned, setting: TuneSetting, { unfit, failures }: LeftOut): TuneReport {
  const { standings, chosen, trials } = tuned;
  const { objective } = setting;
  const comparisons = compareTrials(trials, objective, setting.windows);
  const verdict = verdictOf({
    objective,
    isStart: chosen === standings.start,
    startKeepsBounds: standings.start.excess === 0,
    trials,
    comparison: comparisons.all,
  });
  return {
    objective: {
      name: objective.name,
      prices: pricesOf(objective),
      max_cost: objective.maxCost,
      min_recall: objective.minRecall,
    },
    windows: setting.windows,
    count: setting.count,
    seed: setting.seed,
    train_share: setting.trainShare,
    searched: setting.searched,
    tried: standings.tried.size - 1,
    tried_on_all: standings.complete.length - 1,
    stopped: tuned.stopped,
    training: {
      ...sizeOf(tuned.training),
      start: meansOf(standings.start),
      best: meansOf(standings.complete[0] ?? standings.start),
      tuned: meansOf(chosen),
    },
    beyond: beyondBounds(tuned),
    held_back: { ...sizeOf(tuned.heldBack), ...comparisons },
    changes: chosen.candidate,
    verdict: verdict.name,
    sentence: verdict.sentence,
    left_out: Object.fromEntries(unfit),
    failures,
  };
}

function beyondBounds({ standings, chosen }: Tuned): TuneReport["beyond"] {
  const leader = standings.promising[0];
  if (leader === undefined || leader.excess === 0 || leader.promise <= chosen.promise) return null;
  return { changes: leader.candidate, means: meansOf(leader) };
}

/** The settings that are to be gone with: the chosen ones where they are better, else those of before. */
export function adopted({ verdict, changes }: TuneReport): JsonObject {
  return verdict === "better" ? settingsOf(changes) : {};
}

function sizeOf(runs: Tuned["training"]) {
  return { runs: runs.length, tasks: new Set(runs.map(({ task }) => task)).size };
}

function meansOf({ figures, worth }: Standing): Means {
  return { ...figures, worth };
}
