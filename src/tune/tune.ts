import { complexityOf, settingsOf } from "./candidate.ts";
import { choose, simplify } from "./choice.ts";
import type { Objective } from "./objective.ts";
import { search } from "./search.ts";
import type { Space } from "./space.ts";
import { type Random, type Split, splitByTask } from "./split.ts";
import { type Evaluate, Interrupted, type Standing, Standings } from "./standings.ts";
import type { Trial, TuneRun } from "./trial.ts";

export interface TuneOptions {
  /** Runs that fit a window. */
  readonly runs: readonly TuneRun[];
  readonly objective: Objective;
  /** Share of the tasks that is trained on. */
  readonly trainShare: number;
  /** How long all of it may take, in ms; null: as long as the trials take. */
  readonly budgetMs: number | null;
  /** Settings to try; null: as many as there is time for. */
  readonly trials: number | null;
}

export interface TuneParts {
  readonly space: Space;
  readonly random: Random;
  readonly evaluate: Evaluate;
  /** ms that only ever grow, since tuning began. */
  elapsed(): number;
  /** Whether the user wants it to end with what there is. */
  isStopped(): boolean;
  onProgress(progress: Progress): void;
}

/** Where tuning is; asked for at each replay, so to be cheap. */
export interface Progress {
  readonly phase: "start" | "search" | "simplify" | "held_back";
  /** Null before the start is known. */
  readonly standings: Standings | null;
}

/** What came of tuning: the choice on the training runs, and what it and the start do on runs that no choice saw. */
export interface Tuned extends Split {
  readonly standings: Standings;
  /** The one to go with; may be the start. */
  readonly chosen: Standing;
  /** Whether the user ended the search. */
  readonly stopped: boolean;
  /** On the held-back runs. */
  readonly trials: { readonly start: readonly Trial[]; readonly tuned: readonly Trial[] };
}

/** Share of the budget that is left for taking settings back, one after the other, at the most. */
const SIMPLIFY_SHARE = 0.25;
/** How much longer than expected the held-back runs may take. */
const SAFETY = 1.3;

/**
 * Parts the runs by task, searches on the one part, chooses, and measures the choice on the other. Throws invalid_params
 * for too few tasks, Interrupted when it ends before anything but the start was tried.
 */
export async function tune(options: TuneOptions, parts: TuneParts): Promise<Tuned> {
  const { space, random, elapsed, isStopped } = parts;
  const split = splitByTask(options.runs, options.trainShare, random);
  const { training } = split;
  const begun = elapsed();
  let replayed = 0;
  const evaluate: Evaluate = async (settings, runs, isOver) => {
    const trials = await parts.evaluate(settings, runs, isOver);
    replayed += runs.length;
    return trials;
  };
  const standings = await Standings.open(training, options.objective, evaluate, () => {
    parts.onProgress({ phase: "start", standings: null });
    return isStopped();
  });
  const until = (phase: "search" | "simplify") => () => {
    parts.onProgress({ phase, standings });
    const msPerRun = (elapsed() - begun) / replayed;
    return isStopped() || elapsed() >= endsOf(options.budgetMs, msPerRun, { standings, split })[phase];
  };
  await unlessInterrupted(
    search(standings, { space, training, random, trials: options.trials, isOver: until("search") }),
  );
  await unlessInterrupted(simplify(standings, space, until("simplify")));
  if (standings.tried.size === 1) throw new Interrupted();
  const chosen = choose(standings);
  return {
    ...split,
    standings,
    chosen,
    stopped: isStopped(),
    trials: await heldBackTrials(standings, chosen, split, parts),
  };
}

/** The trials that decide: on runs that no choice has seen, so they are made once and to their end. */
async function heldBackTrials(
  standings: Standings,
  chosen: Standing,
  { heldBack }: Split,
  { evaluate, onProgress }: TuneParts,
): Promise<Tuned["trials"]> {
  const trialsOf = ({ candidate }: Standing) =>
    evaluate(settingsOf(candidate), heldBack, () => {
      onProgress({ phase: "held_back", standings });
      return false;
    });
  const start = await trialsOf(standings.start);
  return { start, tuned: chosen === standings.start ? start : await trialsOf(chosen) };
}

/** When search and simplification are to end, in ms, so that the rest fits into the budget at the present pace. */
function endsOf(budgetMs: number | null, msPerRun: number, { standings, split }: Known) {
  if (budgetMs === null) return { search: Number.POSITIVE_INFINITY, simplify: Number.POSITIVE_INFINITY };
  const simplify = budgetMs - SAFETY * 2 * msPerRun * split.heldBack.length;
  const settings = complexityOf((standings.complete[0] as Standing).candidate);
  const simplifyMs = ((settings * (settings + 1)) / 2) * msPerRun * split.training.length;
  return { simplify, search: simplify - Math.min(SIMPLIFY_SHARE * budgetMs, simplifyMs) };
}

interface Known {
  readonly standings: Standings;
  readonly split: Split;
}

async function unlessInterrupted(phase: Promise<void>): Promise<void> {
  try {
    await phase;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
}
