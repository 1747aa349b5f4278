import { z } from "zod";
import type { SessionSettings } from "../../config/index.ts";
import { scorers } from "../../eviction/index.ts";
import type { Strategy } from "../../model/strategy.ts";

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
  const weights = eviction.policy === policy ? weightsOf(eviction) : {};
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  return Object.entries(parts).map(([name, part]) => {
    const given = weights[name];
    if (given === undefined || total <= 0) return { name, value: null, weight: null, part };
    const weight = given / total;
    return { name, value: weight > 0 ? part / weight : null, weight, part };
  });
}

/** The weights of the policy in force, as it is made of the settings: its own options win over the shared ones. */
function weightsOf({ policy, weights, options }: SessionSettings["eviction"]): Readonly<Record<string, number>> {
  const registry: Readonly<Record<string, Strategy<unknown>>> = scorers;
  const schema = Object.hasOwn(registry, policy) ? registry[policy]?.options : undefined;
  const shape: Readonly<Record<string, z.ZodType>> = schema instanceof z.ZodObject ? schema.shape : {};
  const parsed = shape["weights"]?.safeParse(options["weights"] ?? weights);
  return parsed?.success ? (parsed.data as Record<string, number>) : {};
}
