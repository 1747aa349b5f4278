import { complexityOf } from "./candidate.ts";
import { differences, meanWithError } from "./evidence.ts";
import { type Objective, worthOf } from "./objective.ts";
import type { Space } from "./space.ts";
import type { IsOver, Standing, Standings } from "./standings.ts";
import { weighedOf } from "./trial.ts";

/**
 * The candidate to go with: of those that keep the bounds and whose distance to the best is within one standard error
 * (over tasks, paired run by run), the one that changes the fewest settings; of several, the best. So luck among many
 * candidates is not taken for merit, and the settings that the search starts from win every tie. Where none keeps the
 * bounds it is the one that breaks them least.
 */
export function choose(standings: Standings): Standing {
  const [best, ...others] = standings.complete as [Standing, ...Standing[]];
  if (best.excess > 0) return best;
  const even = others.filter((standing) => standing.excess === 0 && isWithinError(best, standing, standings.objective));
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
