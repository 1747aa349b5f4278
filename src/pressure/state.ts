import type { Zone } from "../model/zone.ts";

/**
 * What the pressure gauge remembers of a session. Plain data: it goes into snapshots as it is.
 *
 * A turn's *growth* is the tokens added in it before anything was freed. Differences of totals would go negative
 * after an eviction and make a fast session look idle.
 */
export interface PressureState {
  /** Turns measured so far; growth counts from the second one on. */
  readonly turns: number;
  /** Growth of the latest `MEMORY_TURNS` turns in tokens, oldest first. */
  readonly growths: readonly number[];
  /** Moving average of the growth, `BASELINE_WEIGHT` for the newest; null before the first growth. */
  readonly baseline: number | null;
  /** Tokens at the latest measurement of any moment; null before the first. */
  readonly tokens: number | null;
  /** Tokens added in the running turn as far as measured. */
  readonly growthSoFar: number;
  readonly zone: Zone;
}

/**
 * When a measurement is made. `turn`: at a turn's start, closing the turn before; `within`: at a tool result;
 * `edit`: after an edit or a change of the window or the settings, which add nothing.
 */
export type Moment = "turn" | "within" | "edit";

/** What the state remembers of a measurement: the fields of a `pressure.measured` event that it is folded from. */
export interface Measured {
  readonly moment: Moment;
  readonly tokens: number;
  /** Tokens added since the last measurement of moment `turn`, before anything was freed. */
  readonly growth_tokens: number;
  readonly zone: Zone;
}

/** Turns whose growth is remembered: the 90th percentile looks at all, the velocity at the last few. */
export const MEMORY_TURNS = 20;

/** Weight of the newest growth in the baseline that a spike is compared with. */
const BASELINE_WEIGHT = 0.3;

/** State of a session before its first measurement. */
export function initialPressure(): PressureState {
  return { turns: 0, growths: [], baseline: null, tokens: null, growthSoFar: 0, zone: "green" };
}

/**
 * The state after a measurement. The first turn's growth is not kept: nothing tells in how many turns its tokens
 * came together.
 */
export function foldPressure(state: PressureState, measured: Measured): PressureState {
  const { tokens, zone, growth_tokens: growth } = measured;
  if (measured.moment === "edit") return { ...state, tokens, zone };
  if (measured.moment === "within") return { ...state, tokens, zone, growthSoFar: growth };
  const turns = state.turns + 1;
  if (turns === 1) return { ...state, turns, tokens, zone, growthSoFar: 0 };
  const growths = state.growths.slice(1 - MEMORY_TURNS);
  growths.push(growth);
  return {
    turns,
    growths,
    baseline: state.baseline === null ? growth : BASELINE_WEIGHT * growth + (1 - BASELINE_WEIGHT) * state.baseline,
    tokens,
    growthSoFar: 0,
    zone,
  };
}
