import { COMPONENTS, type Component } from "../model/block.ts";
import type { CoreEvent } from "../model/events.ts";
import type { Budget, BudgetState } from "./assess.ts";

/** The state of each component at the last look. Plain data; a component that is absent was ok. */
export type BudgetStates = Readonly<Partial<Record<Component, BudgetState>>>;

export type BudgetCrossing = Extract<CoreEvent, { type: "budget.soft_exceeded" | "budget.hard_exceeded" }>;

const LEVELS: readonly BudgetState[] = ["ok", "soft", "hard"];

/** What to remember of an assessment for the next `crossings`. */
export function budgetStates(budget: Budget): BudgetStates {
  return Object.fromEntries(COMPONENTS.map((component) => [component, budget[component].state]));
}

/**
 * The limits exceeded since `before`, each told once until the component has been below it again. A jump over
 * both limits tells both. output_reserved has a hard limit alone.
 */
export function crossings(before: BudgetStates, after: Budget): BudgetCrossing[] {
  const crossed: BudgetCrossing[] = [];
  for (const component of COMPONENTS) {
    const budget = after[component];
    const from = LEVELS.indexOf(before[component] ?? "ok");
    const to = LEVELS.indexOf(budget.state);
    if (to <= from) continue;
    const data = { component, used_tokens: budget.projected_tokens };
    if (from < 1 && component !== "output_reserved") {
      crossed.push({ type: "budget.soft_exceeded", data: { ...data, limit_tokens: budget.soft_limit_tokens } });
    }
    if (to === 2)
      crossed.push({ type: "budget.hard_exceeded", data: { ...data, limit_tokens: budget.hard_limit_tokens } });
  }
  return crossed;
}
