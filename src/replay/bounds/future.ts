import type { Need } from "../needs.ts";
import type { PreparedRun } from "../prepared-run.ts";

/** A need that is still to come, of a value that has come for the last time before it. */
export interface FutureNeed {
  readonly weight: number;
  /** Number of the request that needs it. */
  readonly turn: number;
}

/** What a run will need: known to the bounds alone. */
export class Future {
  readonly #run: PreparedRun;

  constructor(run: PreparedRun) {
    this.#run = run;
  }

  /**
   * By value, what the requests from `turn` to `until` (exclusive) need of what has come before `turn`. A value has one
   * such need at most: the message that needs it holds it, so that a later need finds it there.
   */
  needsFrom(turn: number, until = Number.POSITIVE_INFINITY): Map<number, FutureNeed> {
    const { turns, byTurn } = this.#run.needs;
    const came = turns[turn] as number;
    const needs = new Map<number, FutureNeed>();
    for (let next = turn; next < Math.min(until, turns.length); next++) {
      for (const { index, weight, lastHeldBy } of byTurn.get(turns[next] as number) ?? ([] as readonly Need[])) {
        if (lastHeldBy < came && !needs.has(index)) needs.set(index, { weight, turn: next });
      }
    }
    return needs;
  }
}
