/** A pass that frees a smaller share of its target made no progress. */
const LEAST_PROGRESS = 0.05;
/** Passes without progress in a row that open the breaker. */
const PASSES_TO_OPEN = 2;

/**
 * Keeps a session from editing turn after turn for nothing.
 *
 * Closed, passes run. Two in a row without progress open it: no pass runs for `cooldownTurns` turns. The first
 * pass afterwards is a trial: without progress it opens the breaker again at once, with progress it closes it.
 * Plain data: it goes into snapshots as it is.
 */
export interface BreakerState {
  /** Passes without progress since the last one with it, as far as they count. */
  readonly idlePasses: number;
  /** The first turn at which a pass may run again; null while closed. */
  readonly openUntilTurn: number | null;
}

export interface PassResult {
  readonly turn: number;
  /** What the pass set out to free and what it freed, tokens. */
  readonly targetTokens: number;
  readonly tokensFreed: number;
}

export function initialBreaker(): BreakerState {
  return { idlePasses: 0, openUntilTurn: null };
}

/** Whether a pass may run at this turn. */
export function mayCompress(state: BreakerState, turn: number): boolean {
  return state.openUntilTurn === null || turn >= state.openUntilTurn;
}

/** Whether a pass freed at least 5 % of what it set out to. A pass that had nothing to free did. */
function madeProgress(targetTokens: number, tokensFreed: number): boolean {
  return targetTokens <= 0 || tokensFreed >= LEAST_PROGRESS * targetTokens;
}

/** The state after a pass. `opened` is true at the pass that opens the breaker: raise the alert then. */
export function recordPass(
  state: BreakerState,
  pass: PassResult,
  cooldownTurns: number,
): { readonly state: BreakerState; readonly opened: boolean } {
  if (madeProgress(pass.targetTokens, pass.tokensFreed)) return { state: initialBreaker(), opened: false };
  const idlePasses = Math.min(state.idlePasses + 1, PASSES_TO_OPEN);
  if (idlePasses < PASSES_TO_OPEN) return { state: { idlePasses, openUntilTurn: null }, opened: false };
  return { state: { idlePasses, openUntilTurn: pass.turn + 1 + cooldownTurns }, opened: true };
}
