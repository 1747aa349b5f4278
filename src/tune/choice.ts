import { complexityOf } from "./candidate.ts";
import { differences, meanWithError } from "./evidence.ts";
import { type Objective, worthOf } from "./objective.ts";
import type { Space } from "./space.ts";
import type { IsOver, Standing, Standings } from "./standings.ts";
import { weighedOf } from "./trial.ts";

/**
 * How many standard errors the best must be above the start. The best of many is lucky as well as good, so on other runs
 * less of its gain is left: where this much is not there, they would not show any.
 */
const LEAST_EVIDENCE = 2;
/** Standard errors within which two candidates are even. */
const EVEN = 1;
/** Share of the best one's gain over the start that a simpler candidate must have. */
const LEAST_GAIN = 0.5;

/**
 * The candidate to go with: the start, unless the best is above it by more than luck would have it; else, of those that
 * are even with the best and have half of its gain, the one that changes the fewest settings; of several, the best.
 * Errors are over tasks, paired run by run. Only those that keep the bounds are gone with; where none does it is the one
 * that breaks them least.
 */
export function choose(standings: Standings): Standing {
  const { complete, objective, start } = standings;
  const [best, ...others] = complete as [Standing, ...Standing[]];
  if (best.excess > 0) return best;
  const startKeeps = start.excess === 0;
  if (startKeeps && isWithin(LEAST_EVIDENCE, best, start, objective)) return start;
  const leastWorth = startKeeps ? start.worth + LEAST_GAIN * (best.worth - start.worth) : Number.NEGATIVE_INFINITY;
  const even = others.filter(
    (standing) => standing.excess === 0 && standing.worth >= leastWorth && isWithin(EVEN, best, standing, objective),
  );
  return even.reduce(
    (simplest, standing) => (complexityOf(standing.candidate) < complexityOf(simplest.candidate) ? standing : simplest),
    best,
  );
}

/** Whether a standing is no further below the best than so many standard errors. */
function isWithin(errors: number, best: Standing, standing: Standing, objective: Objective): boolean {
  const worth = differences(best.trials, standing.trials, (trial) => worthOf(objective, weighedOf(trial)));
  const { mean, standardError } = meanWithError(worth);
  return mean <= errors * standardError;
}

/**
 * Looks for simpler candidates that are as good: takes one setting after the other back to where the search started, for
 * as long as that is within the error of the best. The settings that mattered are left.
 */
export async function simplify(standings: Standings, space: Space, isOver: IsOver): Promise<void> {
  for (let chosen = choose(standings); ; ) {
    const simpler = space.simpler(chosen.candidate);
    await Promise.all(simpler.map((candidate) => standings.finish(candidate, isOver)));
    const next = choose(standings);
    if (complexityOf(next.candidate) >= complexityOf(chosen.candidate)) return;
    chosen = next;
  }
}
