/** What the second figure beside the turns until red is, for tips. It is not always the smaller one. */
export const P90_MEANS =
  "p90: the turns until red if each turn grew by the 90th percentile of the last 20. The figure before it goes by the " +
  "mean of the last few turns: after a burst of growth that one is the sooner.";
