import type { GateFigures } from "../model/events.ts";

/** Prices of an input token relative to a fresh one. */
export interface CachePrices {
  /** Read from the provider's prompt cache. */
  readonly read: number;
  /** Written into it. */
  readonly write: number;
}

export const DEFAULT_PRICES: CachePrices = { read: 0.1, write: 1.25 };

export interface GateInput {
  readonly prices: CachePrices;
  readonly tokensFreed: number;
  /** Tokens that stand behind the first edit afterwards: the provider's cached prefix ends there, they are written anew. */
  readonly tokensRewritten: number;
  readonly expectedRemainingTurns: number;
  /** True when the outcome was the gate's to decide; false when the pass had to happen. */
  readonly decided: boolean;
}

/**
 * Break-even of an edit: each freed token saves its cache read on every turn still expected, each token behind the
 * first edit costs the difference between a write and a read, once.
 */
export function gateFigures(input: GateInput): GateFigures {
  const { read, write } = input.prices;
  return {
    read_price: read,
    write_price: write,
    tokens_freed: input.tokensFreed,
    tokens_rewritten: input.tokensRewritten,
    expected_remaining_turns: input.expectedRemainingTurns,
    saving: input.tokensFreed * read * input.expectedRemainingTurns,
    cost: input.tokensRewritten * (write - read),
    decided: input.decided,
  };
}

/** True when the edit saves more than it costs. */
export function paysBack(figures: GateFigures): boolean {
  return figures.saving > figures.cost;
}
