import type { Scorer } from "./scorer.ts";

/** One signal of a score. */
export interface Signal {
  readonly name: string;
  /** What was measured, 0 to 1; null where the policy does not weigh its signals. */
  readonly value: number | null;
  /** Its share of the score, 0 to 1; null as above. */
  readonly weight: number | null;
  /** What it adds to the score; negative where it lowers it. */
  readonly part: number;
}

/** The parts of a score as signals: of a policy that weighs them, each with its weight and what was measured. */
export function signalsOf({ weights }: Pick<Scorer, "weights">, parts: Readonly<Record<string, number>>): Signal[] {
  return Object.entries(parts).map(([name, part]) => {
    const weight = weights?.[name] ?? null;
    return { name, value: weight === null || weight === 0 ? null : part / weight, weight, part };
  });
}
