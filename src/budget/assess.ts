import { COMPONENTS, type Component } from "../model/block.ts";
import { type BurnState, burnRate, type ComponentTokens } from "./burn.ts";
import type { BudgetLimits, ComponentLimits } from "./limits.ts";

/** `soft`: over the soft limit; `hard`: over the hard one. */
export type BudgetState = "ok" | "soft" | "hard";

type Urgency = "none" | "warning" | "critical";

/** Fewer turns than this until a budget is used up is critical. */
const CRITICAL_TURNS = 3;
/** Fewer turns than this until a budget is used up is a warning. */
const WARNING_TURNS = 10;

/** One component against its budget. Snake case: it is a wire shape. */
interface ComponentBudget {
  readonly component: Component;
  /** Tokens held; for output_reserved the tokens of the reserve that the context has taken. */
  readonly used_tokens: number;
  /** `used_tokens` and what is about to be added. */
  readonly projected_tokens: number;
  readonly soft_limit_tokens: number;
  readonly hard_limit_tokens: number;
  /** Allocated share of the window. */
  readonly share: number;
  /** used / hard limit; may exceed 1. Where the limit is 0: 0 when nothing is used, else 1. */
  readonly ratio: number;
  readonly state: BudgetState;
  /** Mean tokens a turn over 20 turns; null before there is one, and for output_reserved. */
  readonly burn_rate: number | null;
  /** (hard limit - used) / burn rate, 0 at the least; null while nothing is added. */
  readonly turns_remaining: number | null;
  readonly urgency: Urgency;
}

export type Budget = Readonly<Record<Component, ComponentBudget>>;

export interface BudgetInput {
  /** Tokens of each component, recomputed from live blocks; output_reserved is not read. */
  readonly used: ComponentTokens;
  /** Tokens about to be added to a component, for a check beforehand. */
  readonly incoming?: ComponentTokens;
  /** Tokens of the whole context as the provider counts them, and the window: they tell what of the reserve is taken. */
  readonly contextTokens: number;
  readonly maxTokens: number;
  readonly limits: BudgetLimits;
  readonly burn: BurnState;
}

/** Every component against its budget. Over means *projected* over: what is about to be added counts. */
export function assessBudget(input: BudgetInput): Budget {
  const entries = COMPONENTS.map((component): [Component, ComponentBudget] => [
    component,
    component === "output_reserved" ? assessReserve(input) : assessComponent(component, input),
  ]);
  return Object.fromEntries(entries) as Record<Component, ComponentBudget>;
}

function assessComponent(component: Component, input: BudgetInput): ComponentBudget {
  const limits = input.limits[component];
  const used = input.used[component] ?? 0;
  const projected = used + (input.incoming?.[component] ?? 0);
  const rate = burnRate(input.burn, component);
  const turnsRemaining = rate === null || rate <= 0 ? null : Math.max(0, limits.hard - used) / rate;
  return {
    ...figures(component, limits, used, projected),
    state: projected > limits.hard ? "hard" : projected > limits.soft ? "soft" : "ok",
    burn_rate: rate,
    turns_remaining: turnsRemaining,
    urgency: urgencyOf(turnsRemaining),
  };
}

/** The reserve is never given away: the first token taken from it is over the limit. */
function assessReserve(input: BudgetInput): ComponentBudget {
  const limits = input.limits.output_reserved;
  const incoming = Object.values(input.incoming ?? {}).reduce((sum, tokens) => sum + tokens, 0);
  const taken = (tokens: number) => Math.min(limits.hard, Math.max(0, tokens + limits.hard - input.maxTokens));
  const projected = taken(input.contextTokens + incoming);
  return {
    ...figures("output_reserved", limits, taken(input.contextTokens), projected),
    state: projected > 0 ? "hard" : "ok",
    burn_rate: null,
    turns_remaining: null,
    urgency: "none",
  };
}

function figures(component: Component, limits: ComponentLimits, used: number, projected: number) {
  return {
    component,
    used_tokens: used,
    projected_tokens: projected,
    soft_limit_tokens: limits.soft,
    hard_limit_tokens: limits.hard,
    share: limits.share,
    ratio: limits.hard > 0 ? used / limits.hard : Math.min(1, used),
  };
}

function urgencyOf(turnsRemaining: number | null): Urgency {
  if (turnsRemaining === null) return "none";
  if (turnsRemaining < CRITICAL_TURNS) return "critical";
  return turnsRemaining < WARNING_TURNS ? "warning" : "none";
}
