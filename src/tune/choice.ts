import { complexityOf } from "./candidate.ts";
import { differences, meanWithError } from "./evidence.ts";
import { type Objective, worthOf } from "./objective.ts";
import type { Space } from "./space.ts";
import type { IsOver, Standing, Standings } from "./standings.ts";
import { weighedOf } from "./trial.ts";

/** Share of the best one's gain over the start that a simpler candidate must have. */
const LEAST_GAIN = 0.5;

/**
 * The candidate to go with: of those that keep the bounds, whose distance to the best is within one standard error (over
 * tasks, paired run by run) and that have half of its gain, the one that changes the fewest settings; of several, the
 * best. So the start is gone with only where nothing is better: whether a gain is more than luck among many candidates,
 * the held-back runs tell. Where none keeps the bounds it is the one that breaks them least.
 */
export function choose(standings: Standings): Standing {
  const { complete, objective, start } = standings;
  const [best, ...others] = complete as [Standing, ...Standing[]];
  if (best.excess > 0) return best;
  const leastWorth =
    start.excess > 0 ? Number.NEGATIVE_INFINITY : start.worth + LEAST_GAIN * (best.worth - start.worth);
  const even = others.filter(
    (standing) => standing.excess === 0 && standing.worth >= leastWorth && isWithinError(best, standing, objective),
  );
  return even.reduce(
    (simplest, standing) => (complexityOf(standing.candidate) < complexityOf(simplest.candidate) ? standing : simplest),
    best,
  );
}

function isWithinError(best: Standing, standing: Standing, objective: Objective): boolean {
  const worth = differences(best.trials, standing.trials, (trial) => worthOf(objective, weighedOf(trial)));
  const { mean, standardError } = meanWithError(worth);
  return mean <= standardError;
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
