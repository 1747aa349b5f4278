/** What a model's factor is before any usage was reported. */
export const INITIAL_FACTOR = 1;
/** Weight of the newest observation. */
const ALPHA = 0.2;
/** A factor outside means that something else is wrong (a proxy that adds text, a usage of another call). */
const LOWEST_FACTOR = 0.5;
const HIGHEST_FACTOR = 3;

/**
 * The learned factor of a model's reported tokens over our raw (uncalibrated) estimate of the same prompt:
 *
 *     factor' = 0.8 * factor + 0.2 * clamp(reported / estimated, 0.5, 3)
 *
 * so that one report that is far off moves it by little.
 *
 * @param factor the factor so far; `INITIAL_FACTOR` at first
 * @param estimated raw estimate of the prompt, in tokens
 * @param reported tokens the provider reported for that prompt
 * @returns the new factor; the old one when either count is not a positive number, as with an empty usage report
 */
export function updateFactor(factor: number, estimated: number, reported: number): number {
  if (!(estimated > 0) || !(reported > 0) || !Number.isFinite(estimated) || !Number.isFinite(reported)) return factor;
  const observed = Math.min(HIGHEST_FACTOR, Math.max(LOWEST_FACTOR, reported / estimated));
  return (1 - ALPHA) * factor + ALPHA * observed;
}
