import type { SessionSettings } from "../../config/index.ts";

/** One part of a block's score. */
export interface Signal {
  readonly name: string;
  /** What the signal itself said, mostly 0 to 1; null: not known. */
  readonly value: number | null;
  /** Its share of the score; null: the policy weighs nothing, or its weights are not known any more. */
  readonly weight: number | null;
  /** What it brought into the score: value times weight. */
  readonly part: number;
}

/**
 * The parts of a score, signal by signal. Events tell the parts alone; the weights are those of the settings in force
 * now, so they are told only where these still name the policy that gave the score, and it is one that has weights.
 */
export function signalsOf(
  policy: string,
  parts: Readonly<Record<string, number>>,
  { eviction }: Pick<SessionSettings, "eviction">,
): Signal[] {
  const weights = eviction.policy === policy && policy === "hybrid" ? weightsOf(eviction) : {};
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  return Object.entries(parts).map(([name, part]) => {
    const given = weights[name];
    if (given === undefined || total <= 0) return { name, value: null, weight: null, part };
    const weight = given / total;
    return { name, value: weight > 0 ? part / weight : null, weight, part };
  });
}

/** The policy's own options win over the shared settings, as they do when it is made. */
function weightsOf({ weights, options }: SessionSettings["eviction"]): Readonly<Record<string, number>> {
  const own = options["weights"];
  const given = typeof own === "object" && own !== null && !Array.isArray(own) ? own : {};
  const numbers = Object.entries(given).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  return numbers.length > 0 ? Object.fromEntries(numbers) : weights;
}
