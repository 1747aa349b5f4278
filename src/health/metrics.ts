import type { HealthState } from "./state.ts";
import { type LifeFigures, withTurn } from "./state.ts";
import type { PassFigures, TurnFigures } from "./turns.ts";

/** The figures of a session's health, in the order in which they are shown. */
export const HEALTH_METRICS = [
  "utilization",
  "eviction_rate",
  "compression_ratio",
  "burn_rate",
  "fidelity",
  "tool_result_bloat",
] as const;
export type HealthMetric = (typeof HEALTH_METRICS)[number];

/** null: there is nothing to tell it from yet. */
export type HealthMetrics = Readonly<Record<HealthMetric, number | null>>;

/** Means over turns; the ratio of some passes, and the score of some folds weighed by their probes. */
export function metricsOf(turns: readonly TurnFigures[], passes: readonly PassFigures[]): HealthMetrics {
  const sum = (figure: (turn: TurnFigures) => number) => turns.reduce((total, turn) => total + figure(turn), 0);
  return figures({
    turns: turns.length,
    utilization: sum((turn) => turn.utilization),
    tool_result_bloat: sum((turn) => turn.tool_result_bloat),
    evicted: sum((turn) => turn.evicted),
    growth: sum((turn) => turn.growth),
    probes: sum((turn) => turn.probes),
    score: sum((turn) => turn.score),
    taken: passes.reduce((total, pass) => total + pass.taken, 0),
    left: passes.reduce((total, pass) => total + pass.left, 0),
  });
}

/** The same figures over all turns of the session, the running one included, and all its passes. */
export function lifeMetrics(state: HealthState): HealthMetrics & {
  readonly turns: number;
  readonly worst_utilization: number;
} {
  const running = state.turns.at(-1);
  const life = running === undefined ? state.life : withTurn(state.life, running);
  return { turns: life.turns, worst_utilization: life.worst_utilization, ...figures(life) };
}

function figures(sums: Omit<LifeFigures, "worst_utilization">): HealthMetrics {
  const { turns, taken, left, probes } = sums;
  const mean = (sum: number) => (turns === 0 ? null : sum / turns);
  return {
    utilization: mean(sums.utilization),
    eviction_rate: mean(sums.evicted),
    // What left whole was compressed to a token at best: the figure stays finite.
    compression_ratio: taken === 0 ? null : taken / Math.max(1, left),
    burn_rate: mean(sums.growth),
    fidelity: probes === 0 ? null : sums.score / probes,
    tool_result_bloat: mean(sums.tool_result_bloat),
  };
}
