import { type Scorer, type Signal, signalsOf } from "../../eviction/index.ts";
import type { EventData } from "../../model/events.ts";

/** How edits were scored: by which policy, and with which shares. */
export type Scoring = NonNullable<EventData["history.compacted"]["scoring"]> | null;

type Weighing = Pick<Scorer, "name" | "weights">;

/**
 * How the pass scored. Passes of earlier versions did not record it: of these the weights are the ones of the policy
 * in force now.
 */
export function scoringOf(
  { scoring }: { readonly scoring?: EventData["history.compacted"]["scoring"] | undefined },
  now: Weighing,
): Scoring {
  if (scoring !== undefined) return scoring;
  return now.weights === undefined ? null : { policy: now.name, weights: { ...now.weights } };
}

/** The parts of a score, signal by signal: with weights where these are of the policy that gave the score. */
export function weighedBy(scoring: Scoring, policy: string, parts: Readonly<Record<string, number>>): Signal[] {
  return signalsOf(scoring?.policy === policy ? scoring : {}, parts);
}
