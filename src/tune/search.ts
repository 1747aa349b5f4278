import { type Candidate, keyOf } from "./candidate.ts";
import { pick } from "./dimension.ts";
import type { Space } from "./space.ts";
import { type Random, spreadTasks } from "./split.ts";
import type { IsOver, Standings } from "./standings.ts";
import type { TuneRun } from "./trial.ts";

/** One candidate of so many goes on to the next, larger part of the runs. */
const HALVING = 3;
/** Candidates that start together. */
const FIELD = 9;
/** Fewest tasks that candidates are compared on. */
const LEAST_TASKS = 4;
/** How many of the best are stepped away from. */
const PARENTS = 4;
/** Shares of the candidates that are a step away from a good one, and that are a cross of two; the rest is drawn. */
const STEPS = 0.5;
const CROSSES = 0.15;

export interface SearchOptions {
  readonly space: Space;
  readonly training: readonly TuneRun[];
  readonly random: Random;
  /** Candidates to try; null: as many as there is time for. */
  readonly trials: number | null;
  readonly isOver: IsOver;
}

/**
 * Successive halving (Jamieson and Talwalkar, 2016) in one field after the other: nine candidates are tried on a few
 * training tasks, the better third on three times as many, and so on; who is left is tried on all. Each field is put to
 * other tasks first, so that no few of them decide for all. Of each field a part is made from the
 * best so far, which is first the start alone, the rest is drawn at random. The same random numbers and trials give the same search.
 *
 * Rejects with Interrupted when it is ended before; what is known by then is in the standings.
 */
export async function search(standings: Standings, options: SearchOptions): Promise<void> {
  const { training, random, trials, isOver } = options;
  for (let tried = 0; trials === null || tried < trials; ) {
    const size = Math.min(FIELD, trials === null ? FIELD : trials - tried);
    let field = newField(standings, options, size);
    if (field.length === 0) return;
    tried += field.length;
    for (const part of growingParts(training, random)) {
      if (field.length > 1) field = await standings.rank(field, part, isOver);
      field = field.slice(0, Math.max(1, Math.floor(field.length / HALVING)));
    }
    await Promise.all(field.map((candidate) => standings.finish(candidate, isOver)));
  }
}

function newField(standings: Standings, { space, random }: SearchOptions, size: number): Candidate[] {
  const known = new Set(standings.tried);
  const parents = standings.promising.slice(0, PARENTS).map(({ candidate }) => candidate);
  const field: Candidate[] = [];
  for (let place = 0; place < size; place++) {
    const way = random();
    const made =
      way < STEPS
        ? space.near(pick(parents, random), known)
        : way < STEPS + CROSSES && parents.length > 1
          ? space.cross(pick(parents, random), pick(parents, random), known)
          : space.draw(known);
    const candidate = made ?? space.draw(known);
    if (candidate === null) continue;
    known.add(keyOf(candidate));
    field.push(candidate);
  }
  return field;
}

/** Ever larger parts of the runs, whole tasks, each holding those before it; the last is smaller than all. */
function growingParts(training: readonly TuneRun[], random: Random): TuneRun[][] {
  const tasks = spreadTasks(training, random);
  const parts: TuneRun[][] = [];
  for (let size = tasks.length / HALVING; size >= LEAST_TASKS; size /= HALVING) {
    parts.unshift(tasks.slice(0, Math.round(size)).flat());
  }
  return parts;
}
