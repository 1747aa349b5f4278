import type { OutlinedBlock } from "./context-outline.ts";

/** What of the prompt a pass left as it was, and what had to be sent anew. Uncalibrated tokens of blocks. */
export interface Prefix {
  /** Tokens before the first place that changed: the provider's cache still holds them. */
  readonly keptTokens: number;
  /** Tokens from there to the end, as they stand after the pass. */
  readonly rewrittenTokens: number;
}

export function prefixOf(before: readonly OutlinedBlock[], after: readonly OutlinedBlock[]): Prefix {
  let keptTokens = 0;
  let at = 0;
  for (; at < after.length && isSame(before[at], after[at]); at++) keptTokens += after[at]?.tokens ?? 0;
  const rewrittenTokens = after.slice(at).reduce((sum, { tokens }) => sum + tokens, 0);
  return { keptTokens, rewrittenTokens };
}

function isSame(before: OutlinedBlock | undefined, after: OutlinedBlock | undefined): boolean {
  return before?.id === after?.id && before?.partHash === after?.partHash;
}
