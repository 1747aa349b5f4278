import type { Usage } from "./wire/wire.ts";

/** USD for a million tokens; what has no price of its own costs as fresh input. */
export interface LlmPrices {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number | null;
  readonly cache_write: number | null;
}

export function costUsd(usage: Usage, prices: LlmPrices): number {
  const { input, cacheRead, cacheWrite, output } = usage;
  const fresh = Math.max(0, input - cacheRead - cacheWrite);
  const cached = cacheRead * (prices.cache_read ?? prices.input) + cacheWrite * (prices.cache_write ?? prices.input);
  return (fresh * prices.input + cached + output * prices.output) / 1e6;
}
