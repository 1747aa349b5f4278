import { z } from "zod";
import type { Severity } from "../model/events.ts";
import type { HealthMetric } from "./metrics.ts";
import type { HealthView } from "./view.ts";

/** What a rule says of one turn. `between`: too good to raise the alert, too bad to end it. */
export interface Judgement {
  readonly level: "bad" | "between" | "good";
  /** One sentence with figures: what an operator reads. No content of the session. */
  readonly summary: string;
}

/** A condition of a session that somebody should know of. Pure: the same view gives the same judgement. */
export interface HealthRule {
  readonly name: string;
  /** What the alert is called, in CamelCase. */
  readonly alert: string;
  readonly severity: Severity;
  /** The figure that it watches: the rule is off where that is not watched. null: none of them, it is always on. */
  readonly metric: HealthMetric | null;
  /** Turns in a row that must be bad to raise the alert, and good to end it. 1 to 10. */
  readonly raiseAfter: number;
  readonly resolveAfter: number;
  /** null: there is nothing to judge by (too few turns, no passes), which counts as good. */
  judge(view: HealthView): Judgement | null;
}

/** Options that every rule has: for how many turns in a row a figure must hold. */
export const held = (raise: number, resolve = 3) => ({
  raise_after: z.int().min(1).max(10).default(raise).describe("Turns in a row that raise the alert."),
  resolve_after: z.int().min(1).max(10).default(resolve).describe("Turns in a row that end it."),
});

/**
 * Share of a limit that a figure must be better by to count as good: windowed means move by a tenth from turn to turn
 * without anything having changed, so that less would let a figure near its limit raise and end an alert again and again.
 */
const SLACK = 0.2;

export function levelAbove(value: number, limit: number, slack = SLACK * limit): Judgement["level"] {
  if (value > limit) return "bad";
  return value <= limit - slack ? "good" : "between";
}

export function levelBelow(value: number, limit: number, slack = SLACK * limit): Judgement["level"] {
  if (value < limit) return "bad";
  return value >= limit + slack ? "good" : "between";
}

/** `0.853` as `85 %`. */
export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** A figure with one digit behind the point at most. */
export function figure(value: number): string {
  return String(Math.round(10 * value) / 10);
}
