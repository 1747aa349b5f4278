/** Tokens that the answer needs at the least, where a quarter of the window does not bind first. */
const LEAST_RESERVE = 4_096;

/**
 * Tokens of the window kept free for the model's answer: `max(share x window, min(4096, window / 4))`. Nothing
 * else is ever given them.
 *
 * @param share `budget.allocations.output_reserved`, 0 to 1.
 */
export function outputReserve(window: number, share: number): number {
  // The product is a float: 0.29 x 100 must not become 28.
  const wanted = Math.floor(window * share + 1e-6);
  return Math.max(wanted, Math.min(LEAST_RESERVE, Math.floor(window / 4)));
}

/** Whether the answer's reserve is untouched by a context of `tokens`. */
export function outputReserveFree(tokens: number, maxTokens: number, reserve: number): boolean {
  return tokens + reserve <= maxTokens;
}
