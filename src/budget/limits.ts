import type { Component } from "../model/block.ts";

/** Shares of the window by component, 0 to 1 each: `budget.allocations`. */
export type Allocations = Readonly<Record<Component, number>>;

export interface ComponentLimits {
  /** Allocated share of the window. */
  readonly share: number;
  /** Tokens from which the component is reported. */
  readonly soft: number;
  /** Tokens that the component may hold. */
  readonly hard: number;
}

export type BudgetLimits = Readonly<Record<Component, ComponentLimits>>;

/** A product of a share and a count of tokens is a float: 0.29 x 100 must not become 28. */
function wholeTokens(tokens: number): number {
  return Math.floor(tokens + 1e-6);
}

/**
 * Token limits of every component: hard = floor(window x share), soft = `softPct` of it. The output reserve is
 * larger than its share in a small window and has no soft limit: any token taken from it is one too many.
 *
 * @param window tokens.
 * @param softPct `budget.soft_limit_pct`, 0 to 1.
 * @param outputReserve tokens kept free for the answer; see pressure's formula.
 */
export function budgetLimits(
  window: number,
  allocations: Allocations,
  softPct: number,
  outputReserve: number,
): BudgetLimits {
  const limitsOf = (share: number): ComponentLimits => {
    const hard = wholeTokens(window * share);
    return { share, soft: wholeTokens(hard * softPct), hard };
  };
  return {
    system_prompt: limitsOf(allocations.system_prompt),
    tool_definitions: limitsOf(allocations.tool_definitions),
    message_history: limitsOf(allocations.message_history),
    tool_results: limitsOf(allocations.tool_results),
    memory_injection: limitsOf(allocations.memory_injection),
    output_reserved: { share: allocations.output_reserved, soft: outputReserve, hard: outputReserve },
  };
}
