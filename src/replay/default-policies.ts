/**
 * Behind the config's own policy, what is replayed when nothing is named: the common policies, the published peers that
 * people ask about, and the bounds.
 */
export const DEFAULT_POLICIES: readonly string[] = [
  "fifo",
  "hybrid",
  "plain_sliding",
  "plain_fifo",
  "published_hybrid",
  "clear_results",
  "oracle",
  "none",
];
