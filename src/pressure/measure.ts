import type { Reading, Zone, ZoneThresholds } from "../model/zone.ts";
import { foldPressure, MEMORY_TURNS, type Moment, type PressureState } from "./state.ts";
import { nextZone } from "./zones.ts";

/** What one measurement is made of. Settings come with each call, since they can change at run time. */
export interface PressureInput {
  /** Tokens of the context as the provider will count them, best estimate. */
  readonly tokens: number;
  /**
   * Tokens added since the last `measureTurn`, before anything was freed. null when the caller does not know: then
   * the rise since the last measurement counts, which is the same as long as every edit is followed by
   * `remeasure`, which does not read this.
   */
  readonly addedTokens: number | null;
  /** The window, tokens. */
  readonly maxTokens: number;
  /** As `effectiveThresholds` gives them. */
  readonly thresholds: ZoneThresholds;
  /** `pressure.hysteresis`, a share of the window. */
  readonly hysteresis: number;
  /** `pressure.velocity_window`, 1 to 20 turns. */
  readonly velocityWindow: number;
  /** `pressure.spike_factor`. */
  readonly spikeFactor: number;
  /** `pressure.forecast_turns`: this near to red acts as orange. */
  readonly forecastTurns: number;
  readonly source: Reading["source"];
  readonly windowGuessed: boolean;
}

/** Growth that stands out from the turns before it, tokens. */
interface Spike {
  readonly growth: number;
  readonly baseline: number;
}

export interface Measurement {
  /** `foldPressure` of this measurement. */
  readonly state: PressureState;
  readonly reading: Reading;
  /** Growth of the turn that ends here (`measureTurn`) or runs, tokens; 0 for the first measurement of all. */
  readonly growthTokens: number;
  readonly zoneChange: { readonly from: Zone; readonly to: Zone } | null;
  /** Told once a turn, at the measurement that saw it first. */
  readonly spike: Spike | null;
  /** Red is at most `forecastTurns` turns away: the router treats it as orange. */
  readonly forecastOrange: boolean;
}

/**
 * The measurement at a turn's start: it closes the turn before and keeps its growth.
 *
 * Velocity = mean growth of the last `velocityWindow` turns, from the second reading on; turns_until_red =
 * max(0, (red x window - tokens) / velocity); a spike is growth above `spikeFactor` x baseline.
 */
export function measureTurn(state: PressureState, input: PressureInput): Measurement {
  return measure(state, "turn", input);
}

/**
 * A measurement within a turn, at each tool result: by the same formulas the turn's growth so far counts too, and
 * is not kept. Being a lower bound of what the turn will add, it can raise the velocity, never lower it.
 */
export function measureWithin(state: PressureState, input: PressureInput): Measurement {
  return measure(state, "within", input);
}

/** A measurement after an edit, or a change of the window or the settings: other tokens, no growth, no spike. */
export function remeasure(state: PressureState, input: PressureInput): Measurement {
  return measure(state, "edit", input);
}

function measure(state: PressureState, moment: Moment, input: PressureInput): Measurement {
  const { tokens, maxTokens, thresholds } = input;
  const growthTokens = growthOf(state, moment, input);
  const utilization = tokens / maxTokens;
  const zone = nextZone(state.zone, utilization, thresholds, input.hysteresis);
  const after = foldPressure(state, { moment, tokens, growth_tokens: growthTokens, zone });
  const room = Math.max(0, thresholds.red * maxTokens - tokens);
  const velocity = velocityOf(after, input.velocityWindow);
  const turnsUntilRed = turnsFor(room, velocity);
  const reading: Reading = {
    tokens,
    max_tokens: maxTokens,
    utilization,
    zone,
    velocity_tokens_per_turn: velocity,
    turns_until_red: turnsUntilRed,
    turns_until_red_p90: turnsFor(room, fastGrowthOf(after)),
    source: input.source,
    window_guessed: input.windowGuessed,
  };
  return {
    state: after,
    reading,
    growthTokens,
    zoneChange: zone === state.zone ? null : { from: state.zone, to: zone },
    spike: moment === "edit" ? null : newSpike(state, growthTokens, input.spikeFactor),
    forecastOrange: turnsUntilRed !== null && turnsUntilRed <= input.forecastTurns,
  };
}

function growthOf(state: PressureState, moment: Moment, input: PressureInput): number {
  if (moment === "edit") return state.growthSoFar;
  if (state.turns === 0) return 0;
  const added = input.addedTokens ?? state.growthSoFar + input.tokens - (state.tokens ?? input.tokens);
  return Math.max(0, added);
}

/**
 * Growth above `factor` times the baseline, which this growth has not entered yet. A growth so far that was above
 * it already was told already; a baseline of nothing is no measure of a spike.
 */
function newSpike(state: PressureState, growth: number, factor: number): Spike | null {
  const { baseline } = state;
  if (baseline === null || baseline <= 0) return null;
  const limit = factor * baseline;
  return growth > limit && state.growthSoFar <= limit ? { growth, baseline } : null;
}

/** Turns until `room` tokens are used up; null while nothing grows. */
function turnsFor(room: number, tokensPerTurn: number | null): number | null {
  return tokensPerTurn === null || tokensPerTurn <= 0 ? null : room / tokensPerTurn;
}

/** Applies a statistic to the growths, and to the growths with the running turn's, and takes the greater. */
function withRunningTurn(state: PressureState, statistic: (growths: readonly number[]) => number): number | null {
  const { growths, growthSoFar } = state;
  const kept = growths.length === 0 ? null : statistic(growths);
  if (growthSoFar <= 0) return kept;
  return Math.max(kept ?? 0, statistic([...growths, growthSoFar]));
}

function velocityOf(state: PressureState, turns: number): number | null {
  return withRunningTurn(state, (growths) => mean(growths.slice(-turns)));
}

function fastGrowthOf(state: PressureState): number | null {
  return withRunningTurn(state, (growths) => percentile90(growths.slice(-MEMORY_TURNS)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The 90th percentile by nearest rank: the smallest value that nine tenths of the values do not exceed. */
function percentile90(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(0.9 * sorted.length) - 1] ?? 0;
}
