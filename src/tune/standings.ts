import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { type Candidate, keyOf, START, settingsOf } from "./candidate.ts";
import { excess, type Objective, promiseOf, type Room, roomOf, worthOf } from "./objective.ts";
import { meansOf, type Trial, type TuneRun, type Weighed } from "./trial.ts";

/**
 * Replays runs with settings over those of the config; a run without a window that it fits has no trial. Rejects with
 * ContextdError where the settings cannot be replayed, with Interrupted once `isOver`.
 */
export type Evaluate = (settings: JsonObject, runs: readonly TuneRun[], isOver: IsOver) => Promise<readonly Trial[]>;

/** Whether a phase is to end: asked before each replay. */
export type IsOver = () => boolean;

/** The search was ended while trials were under way. */
export class Interrupted extends Error {
  constructor() {
    super("the search was ended");
    this.name = "Interrupted";
  }
}

/** A candidate and its trials on all training runs. */
export interface Standing {
  readonly candidate: Candidate;
  readonly trials: readonly Trial[];
  readonly figures: Weighed;
  /** By the objective; higher is better. */
  readonly worth: number;
  /** By how much it breaks the bounds; 0: not at all. */
  readonly excess: number;
  /** Worth to the search, which may look a little beyond the bounds. */
  readonly promise: number;
}

/** What is known of the candidates: trials of each, none made twice, and who leads. */
export class Standings {
  readonly objective: Objective;
  readonly room: Room;
  readonly #runs: readonly TuneRun[];
  readonly #evaluate: Evaluate;
  readonly #trials = new Map<string, Map<string, readonly Trial[]>>();
  readonly #complete: Standing[] = [];

  /**
   * Tries the settings that the search starts from on all runs: what everything else is compared with. Throws
   * invalid_params when none of them could be replayed.
   */
  static async open(
    runs: readonly TuneRun[],
    objective: Objective,
    evaluate: Evaluate,
    isOver: IsOver,
  ): Promise<Standings> {
    const trials = await evaluate(settingsOf(START), runs, isOver);
    if (trials.length === 0) throw new ContextdError("invalid_params", "None of the runs could be replayed.");
    return new Standings(runs, objective, evaluate, trials);
  }

  private constructor(runs: readonly TuneRun[], objective: Objective, evaluate: Evaluate, start: readonly Trial[]) {
    this.objective = objective;
    this.#runs = runs;
    this.#evaluate = evaluate;
    this.room = roomOf(objective, meansOf(start));
    this.#remember(START, runs, start);
    this.#complete.push(this.#standing(START, runs));
  }

  /** Keys of all that were tried, on however few runs. */
  get tried(): ReadonlySet<string> {
    return new Set(this.#trials.keys());
  }

  /** Those tried on all runs, best first. */
  get complete(): readonly Standing[] {
    return [...this.#complete].sort(byMerit);
  }

  get start(): Standing {
    return this.#complete[0] as Standing;
  }

  /** Those tried on all runs, the most promising first. */
  get promising(): readonly Standing[] {
    return [...this.#complete].sort(byPromise);
  }

  /** Tries candidates on some of the runs and orders them, the most promising first. One that cannot be replayed is left out. */
  async rank(candidates: readonly Candidate[], runs: readonly TuneRun[], isOver: IsOver): Promise<Candidate[]> {
    const tried = await Promise.all(candidates.map((candidate) => this.#try(candidate, runs, isOver)));
    return candidates
      .filter((_, at) => tried[at])
      .map((candidate) => this.#standing(candidate, runs))
      .sort(byPromise)
      .map(({ candidate }) => candidate);
  }

  /** Tries a candidate on all runs; null when it cannot be replayed. */
  async finish(candidate: Candidate, isOver: IsOver): Promise<Standing | null> {
    const known = this.#complete.find((standing) => keyOf(standing.candidate) === keyOf(candidate));
    if (known) return known;
    if (!(await this.#try(candidate, this.#runs, isOver))) return null;
    const standing = this.#standing(candidate, this.#runs);
    this.#complete.push(standing);
    return standing;
  }

  /** False when the candidate cannot be replayed. */
  async #try(candidate: Candidate, runs: readonly TuneRun[], isOver: IsOver): Promise<boolean> {
    const known = this.#trials.get(keyOf(candidate));
    const missing = runs.filter(({ path }) => !known?.has(path));
    if (missing.length === 0) return true;
    try {
      this.#remember(candidate, missing, await this.#evaluate(settingsOf(candidate), missing, isOver));
      return true;
    } catch (error) {
      if (!(error instanceof ContextdError)) throw error;
      this.#remember(candidate, [], []);
      return false;
    }
  }

  #remember(candidate: Candidate, runs: readonly TuneRun[], trials: readonly Trial[]): void {
    const key = keyOf(candidate);
    const known = this.#trials.get(key) ?? new Map<string, readonly Trial[]>();
    this.#trials.set(key, known);
    for (const { path } of runs) {
      known.set(
        path,
        trials.filter((trial) => trial.run.path === path),
      );
    }
  }

  #standing(candidate: Candidate, runs: readonly TuneRun[]): Standing {
    const trialsOf = (key: string) => runs.flatMap(({ path }) => this.#trials.get(key)?.get(path) ?? []);
    const trials = trialsOf(keyOf(candidate));
    const figures = meansOf(trials);
    const worth = worthOf(this.objective, figures);
    const over = excess(this.room, figures, meansOf(trialsOf(keyOf(START))));
    return { candidate, trials, figures, worth, excess: over.cost + over.recall, promise: promiseOf(worth, over) };
  }
}

/** Those that keep the bounds first, then by worth; by their settings where all is even, so that the order is one. */
function byMerit(a: Standing, b: Standing): number {
  return a.excess - b.excess || b.worth - a.worth || byKey(a, b);
}

function byPromise(a: Standing, b: Standing): number {
  return b.promise - a.promise || byKey(a, b);
}

function byKey(a: Standing, b: Standing): number {
  return keyOf(a.candidate) < keyOf(b.candidate) ? -1 : 1;
}
