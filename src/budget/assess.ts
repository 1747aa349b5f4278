import type { Component } from "../model/block.ts";
import { type BurnState, burnRate, type ComponentTokens } from "./burn.ts";
import type { BudgetLimits } from "./limits.ts";

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
  /** Tokens of each component: see `tokensByComponent`; output_reserved is not read. */
  readonly used: ComponentTokens;
  /** Tokens as told for one of our own count, in which `burn` was noted. Absent: 1. */
  readonly scale?: number;
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
  return {
    system_prompt: assessComponent("system_prompt", input),
    tool_definitions: assessComponent("tool_definitions", input),
    message_history: assessComponent("message_history", input),
    tool_results: assessComponent("tool_results", input),
    memory_injection: assessComponent("memory_injection", input),
    output_reserved: assessReserve(input),
  };
}

// Whole literals here and below: every hook makes one, and spreading costs ten times as much.
function assessComponent(component: Component, input: BudgetInput): ComponentBudget {
  const { share, soft, hard } = input.limits[component];
  const used = input.used[component] ?? 0;
  const projected = used + (input.incoming?.[component] ?? 0);
  const burned = burnRate(input.burn, component);
  const rate = burned === null ? null : burned * (input.scale ?? 1);
  const turnsRemaining = rate === null || rate <= 0 ? null : Math.max(0, hard - used) / rate;
  return {
    component,
    used_tokens: used,
    projected_tokens: projected,
    soft_limit_tokens: soft,
    hard_limit_tokens: hard,
    share,
    ratio: ratioOf(used, hard),
    state: projected > hard ? "hard" : projected > soft ? "soft" : "ok",
    burn_rate: rate,
    turns_remaining: turnsRemaining,
    urgency: urgencyOf(turnsRemaining),
  };
}

/** The reserve is never given away: the first token taken from it is over the limit. */
function assessReserve(input: BudgetInput): ComponentBudget {
  const { share, soft, hard } = input.limits.output_reserved;
  const incoming = Object.values(input.incoming ?? {}).reduce((sum, tokens) => sum + tokens, 0);
  const taken = (tokens: number) => Math.min(hard, Math.max(0, tokens + hard - input.maxTokens));
  const used = taken(input.contextTokens);
  const projected = taken(input.contextTokens + incoming);
  return {
    component: "output_reserved",
    used_tokens: used,
    projected_tokens: projected,
    soft_limit_tokens: soft,
    hard_limit_tokens: hard,
    share,
    ratio: ratioOf(used, hard),
    state: projected > 0 ? "hard" : "ok",
    burn_rate: null,
    turns_remaining: null,
    urgency: "none",
  };
}

function ratioOf(used: number, hard: number): number {
  return hard > 0 ? used / hard : Math.min(1, used);
}

function urgencyOf(turnsRemaining: number | null): Urgency {
  if (turnsRemaining === null) return "none";
  if (turnsRemaining < CRITICAL_TURNS) return "critical";
  return turnsRemaining < WARNING_TURNS ? "warning" : "none";
}
