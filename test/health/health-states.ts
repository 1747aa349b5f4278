import type { HealthState } from "../../src/health/state.ts";
import {
  beginTurn,
  initialHealth,
  noteEdit,
  noteFold,
  noteGrowth,
  notePass,
  noteReading,
  noteRegretted,
} from "../../src/health/state.ts";
import type { Zone } from "../../src/model/zone.ts";

/** What one turn of a made-up session does; absent: nothing. */
export interface Did {
  readonly utilization?: number;
  readonly zone?: Zone;
  readonly bloat?: number;
  readonly growth?: number;
  /** Blocks evicted by a pass. */
  readonly evicted?: number;
  /** A pass by hand: tokens taken and left. */
  readonly pass?: readonly [taken: number, left: number];
  readonly fold?: readonly [probes: number, score: number];
  /** Blocks of this very turn that are needed again. */
  readonly regretted?: number;
}

/** The state with one more turn. The window is 1000 tokens. */
export function afterTurn(state: HealthState, did: Did): HealthState {
  const { utilization = 0.5, zone = "green", bloat = 0.1, growth = 10, evicted = 0, pass, fold, regretted = 0 } = did;
  const turn = (state.turns.at(-1)?.turn ?? 0) + 1;
  let next = beginTurn(state, turn);
  next = noteGrowth(next, growth);
  for (let block = 0; block < evicted; block++) next = noteEdit(next, { taken: 10, left: 0, evicted: true });
  if (pass) next = noteEdit(next, { taken: pass[0], left: pass[1], evicted: false });
  if (evicted > 0 || pass) next = notePass(next);
  if (fold) next = noteFold(next, { probes: fold[0], score: fold[1] });
  for (let block = 0; block < regretted; block++) next = noteRegretted(next, turn);
  const tokens = Math.round(1000 * utilization);
  return noteReading(next, { utilization, zone, tokens, max_tokens: 1000, tool_result_bloat: bloat });
}

export function afterTurns(turns: readonly Did[], from: HealthState = initialHealth()): HealthState {
  return turns.reduce(afterTurn, from);
}

/** So many turns alike. */
export function times(count: number, did: Did): Did[] {
  return Array.from({ length: count }, () => did);
}
