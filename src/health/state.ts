import type { Zone } from "../model/zone.ts";
import { newTurn, type PassFigures, TURNS_KEPT, type TurnFigures } from "./turns.ts";

/** Passes that are kept: the last three, and those that the turns just past had as their last three. */
const PASSES_KEPT = 24;

/** Sums over turns: enough for their means. */
export interface LifeFigures {
  readonly turns: number;
  readonly utilization: number;
  readonly worst_utilization: number;
  readonly tool_result_bloat: number;
  readonly evicted: number;
  readonly growth: number;
  readonly probes: number;
  readonly score: number;
  readonly taken: number;
  readonly left: number;
}

/** What a session knows of its own health: a fold over its events, of bounded size. Plain data. */
export interface HealthState {
  /** The newest, oldest first; the last one runs. */
  readonly turns: readonly TurnFigures[];
  /** The newest passes that took something, oldest first. */
  readonly passes: readonly PassFigures[];
  /** What the pass under way has taken and left so far. */
  readonly pass: { readonly taken: number; readonly left: number };
  /** Growth of the turns that are kept no more. */
  readonly earlier: { readonly turns: number; readonly growth: number };
  /** Of the turns that are over, and of all passes. */
  readonly life: LifeFigures;
  /** Turn of the last overflow, and of the last checkpoint that was refused; null: there was none. */
  readonly overflow_turn: number | null;
  readonly rejected_turn: number | null;
}

const NO_PASS = { taken: 0, left: 0 };

export function initialHealth(): HealthState {
  return {
    turns: [],
    passes: [],
    pass: NO_PASS,
    earlier: { turns: 0, growth: 0 },
    life: {
      turns: 0,
      utilization: 0,
      worst_utilization: 0,
      tool_result_bloat: 0,
      evicted: 0,
      growth: 0,
      probes: 0,
      score: 0,
      taken: 0,
      left: 0,
    },
    overflow_turn: null,
    rejected_turn: null,
  };
}

/** A turn begins: the one before is over and enters the figures of the life. */
export function beginTurn(state: HealthState, turn: number): HealthState {
  const over = state.turns.at(-1);
  const turns = [...state.turns, newTurn(turn)];
  const gone = turns.length > TURNS_KEPT ? turns.shift() : undefined;
  const { earlier } = state;
  return {
    ...state,
    turns,
    earlier: gone ? { turns: earlier.turns + 1, growth: earlier.growth + gone.growth } : earlier,
    life: over ? withTurn(state.life, over) : state.life,
  };
}

/** The figures of a life with one more turn, which is over or is looked at while it runs. */
export function withTurn(life: LifeFigures, turn: TurnFigures): LifeFigures {
  return {
    ...life,
    turns: life.turns + 1,
    utilization: life.utilization + turn.utilization,
    worst_utilization: Math.max(life.worst_utilization, turn.utilization),
    tool_result_bloat: life.tool_result_bloat + turn.tool_result_bloat,
    evicted: life.evicted + turn.evicted,
    growth: life.growth + turn.growth,
    probes: life.probes + turn.probes,
    score: life.score + turn.score,
  };
}

/** How the context stands in the running turn, as it will be sent. */
export function noteReading(
  state: HealthState,
  reading: {
    readonly utilization: number;
    readonly tokens: number;
    readonly max_tokens: number;
    readonly zone: Zone;
    readonly tool_result_bloat: number;
  },
): HealthState {
  return withRunning(state, () => reading);
}

/** Tokens that came in before the running turn began. */
export function noteGrowth(state: HealthState, growth: number): HealthState {
  return withRunning(state, () => ({ growth }));
}

/** An edit of a pass. `evicted`: a policy chose it; `departed`: content of the block left the context with it. */
export function noteEdit(
  state: HealthState,
  edit: { readonly taken: number; readonly left: number; readonly evicted: boolean },
): HealthState {
  const { pass } = state;
  const next = withRunning(state, ({ evicted, departed }) => ({
    evicted: evicted + Number(edit.evicted),
    departed: departed + 1,
  }));
  return { ...next, pass: { taken: pass.taken + edit.taken, left: pass.left + edit.left } };
}

/** Tokens that the pass under way put in for what it took: lines carried over, a summary. Negative: fewer than before. */
export function noteCarried(state: HealthState, tokens: number): HealthState {
  return { ...state, pass: { ...state.pass, left: state.pass.left + tokens } };
}

/** The pass under way is over. One that took nothing is no compression. */
export function notePass(state: HealthState): HealthState {
  const turn = state.turns.at(-1)?.turn ?? 0;
  const taken = state.pass.taken;
  const left = Math.max(0, state.pass.left);
  if (taken === 0) return { ...state, pass: NO_PASS };
  const { life } = state;
  return {
    ...state,
    pass: NO_PASS,
    passes: [...state.passes, { turn, taken, left }].slice(-PASSES_KEPT),
    life: { ...life, taken: life.taken + taken, left: life.left + left },
  };
}

/** A fold was judged: by how many probes, and the score that it got, 0 to 1. */
export function noteFold(state: HealthState, fold: { readonly probes: number; readonly score: number }): HealthState {
  return withRunning(state, ({ probes, score }) => ({
    probes: probes + fold.probes,
    score: score + fold.probes * fold.score,
  }));
}

/** A block that had left in an earlier turn was needed again, for the first time. */
export function noteRegretted(state: HealthState, departedTurn: number): HealthState {
  const turns = state.turns.map((each) =>
    each.turn === departedTurn ? { ...each, regretted: each.regretted + 1 } : each,
  );
  return { ...state, turns };
}

function withRunning(state: HealthState, change: (running: TurnFigures) => Partial<TurnFigures>): HealthState {
  const running = state.turns.at(-1);
  if (running === undefined) return state;
  return { ...state, turns: [...state.turns.slice(0, -1), { ...running, ...change(running) }] };
}
