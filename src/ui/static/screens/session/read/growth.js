/**
 * Where growth leads: { from, velocity, fast, slow, red } in tokens and tokens per turn, for a context below red that
 * grows; null otherwise. `fast` and `slow` are the ends of the fan: the ninetieth and the tenth percentile.
 */
export function forecastOf(summary, trend) {
  const { tokens, max_tokens: max, thresholds, velocity_tokens_per_turn: velocity, closed } = summary;
  const red = thresholds.red * max;
  if (closed || velocity === null || velocity <= 0 || tokens >= red) return null;
  const { turns_until_red: until, turns_until_red_p90: soonest } = summary;
  const fast = soonest === null || soonest <= 0 ? velocity : Math.max(velocity, (red - tokens) / soonest);
  const slow = Math.min(velocity, trend.slowGrowth() ?? velocity);
  return { from: tokens, velocity, fast, slow, red, until, soonest };
}
