import { compact, percent } from "../../draw/format.js";

/** Where the first edit is, and what that means for the provider's cache. */
export function ribbonHint({ kept_prefix_tokens: kept, tokens_rewritten: rewritten }) {
  const all = kept + rewritten;
  if (all === 0) return "";
  if (rewritten === 0) return "Nothing behind the cache's end changed.";
  const share = percent(kept / all, 0);
  return `The first edit is at ${compact(kept)}: the cache holds ${share} of what stands now. The ${compact(rewritten)} tok behind it are written to the provider's cache once more.`;
}
