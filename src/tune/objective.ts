import type { Weighed } from "./trial.ts";

/** What is asked for: the names that `--objective` takes. */
export const OBJECTIVES = ["balanced", "recall", "cost"] as const;
export type ObjectiveName = (typeof OBJECTIVES)[number];

/**
 * What the cost of a run without management is worth in line recall, where both count and nothing else is asked for: a
 * tenth of that cost buys two hundredths of what was needed. At this price a window that slides turn by turn, which on
 * real runs keeps a tenth more than batches and costs twice as much, is clearly not worth it.
 */
export const COST_PRICE = 0.2;

/** What line recall and cost are worth: 1 is all that was needed, or the cost of no management. */
interface Prices {
  readonly line: number;
  readonly cost: number;
}

/** What settings are chosen by. */
export interface Objective {
  readonly name: ObjectiveName;
  /** What cost is worth beside line recall; of no account where only one of them counts. */
  readonly costPrice: number;
  /** Highest mean cost; null: none is asked for. */
  readonly maxCost: number | null;
  /** Least mean line recall; null: none is asked for. */
  readonly minRecall: number | null;
}

export function pricesOf({ name, costPrice }: Objective): Prices {
  return { balanced: { line: 1, cost: costPrice }, recall: { line: 1, cost: 0 }, cost: { line: 0, cost: 1 } }[name];
}

/** What figures are worth: line recall at its price less cost at its own. Linear, so means may be taken first or last. */
export function worthOf(objective: Objective, { line, cost }: Weighed): number {
  const price = pricesOf(objective);
  return price.line * line - price.cost * cost;
}

/** How far the figures may differ from those of the settings that the search starts from. */
export interface Room {
  /** Most that the mean cost may be above theirs; negative: it must be below. */
  readonly cost: number;
  /** Most that the mean line recall may be below theirs. */
  readonly recall: number;
}

/**
 * The bounds relative to the start: so they hold on parts of the runs too, which may be easier or harder than all. Where
 * one figure alone is worth something and nothing is asked of the other, the other may not get worse.
 *
 * @param start means of the starting settings over all training runs.
 */
export function roomOf({ name, maxCost, minRecall }: Objective, start: Weighed): Room {
  return {
    cost: maxCost === null ? (name === "recall" ? 0 : Number.POSITIVE_INFINITY) : maxCost - start.cost,
    recall: minRecall === null ? (name === "cost" ? 0 : Number.POSITIVE_INFINITY) : start.line - minRecall,
  };
}

/** By how much figures are over the bounds, both measured on the same runs; 0 where they keep them. */
export function excess(room: Room, figures: Weighed, start: Weighed): Excess {
  const over = (amount: number) => (amount > ROUNDING ? amount : 0);
  return {
    cost: over(figures.cost - start.cost - room.cost),
    recall: over(start.line - figures.line - room.recall),
  };
}

export interface Excess {
  readonly cost: number;
  readonly recall: number;
}

/**
 * What figures are worth to a search that may look beyond the bounds: settings a little beyond may be a step away from
 * the best, and on a few runs nobody can tell on which side they are. Beyond a bound it falls several times faster than
 * one figure buys the other on real runs, so that the best never stands there.
 */
export function promiseOf(worth: number, { cost, recall }: Excess): number {
  return worth - COST_PENALTY * cost - RECALL_PENALTY * recall;
}

const COST_PENALTY = 1;
const RECALL_PENALTY = 10;

/** Differences below this come from adding floats. */
const ROUNDING = 1e-9;
