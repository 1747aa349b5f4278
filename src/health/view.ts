import { type HealthMetrics, metricsOf } from "./metrics.ts";
import type { HealthState } from "./state.ts";
import { type PassFigures, TURNS_KEPT, type TurnFigures, WINDOW_TURNS } from "./turns.ts";

/** Passes over which the compression ratio is told. */
const RATIO_PASSES = 3;

/** What a rule may look at: the session as it was in one turn. */
export interface HealthView {
  readonly turn: TurnFigures;
  /** The last ten turns, oldest first, this one at the end; fewer in a young session. */
  readonly turns: readonly TurnFigures[];
  /** The last three passes that took something; fewer where there were fewer. */
  readonly passes: readonly PassFigures[];
  /** Over `turns` and `passes`. */
  readonly metrics: HealthMetrics;
  /** Mean growth of the turns before `turns`, tokens a turn, and how many these were; null: there was none. */
  readonly baseline: { readonly turns: number; readonly growth: number } | null;
  /** Blocks that left in the last twenty turns, and those of them that were needed again. */
  readonly departed: number;
  readonly regretted: number;
}

/** The session as it was `back` turns ago; null where it is not that old, or that is longer ago than is kept. */
export function viewAt(state: HealthState, back: number): HealthView | null {
  const known = state.turns.slice(0, state.turns.length - back);
  const turn = known.at(-1);
  if (turn === undefined) return null;
  const turns = known.slice(-WINDOW_TURNS);
  const passes = state.passes.filter((pass) => pass.turn <= turn.turn).slice(-RATIO_PASSES);
  const before = known.slice(0, -WINDOW_TURNS);
  const older = state.earlier.turns + before.length;
  const growth = before.reduce((sum, each) => sum + each.growth, state.earlier.growth);
  const recent = known.slice(-TURNS_KEPT);
  return {
    turn,
    turns,
    passes,
    metrics: metricsOf(turns, passes),
    baseline: older === 0 ? null : { turns: older, growth: growth / older },
    departed: recent.reduce((sum, each) => sum + each.departed, 0),
    regretted: recent.reduce((sum, each) => sum + each.regretted, 0),
  };
}
