import type { Zone } from "../model/zone.ts";

/** Turns that the figures look back over. */
export const WINDOW_TURNS = 10;

/** Turns that are kept: those before the window say how it was for the turns just past. */
export const TURNS_KEPT = 2 * WINDOW_TURNS;

/** What one turn did. Plain data: it goes into snapshots as it is. */
export interface TurnFigures {
  readonly turn: number;
  /** Of the context that was handed back, after the turn's edits; shares of the window, above 1 where it overflows. */
  readonly utilization: number;
  readonly tokens: number;
  readonly max_tokens: number;
  readonly zone: Zone;
  /** Share of the context's tokens that are tool results, 0 to 1. */
  readonly tool_result_bloat: number;
  /** Blocks that a policy evicted. */
  readonly evicted: number;
  /** Tokens that came in since the turn before. */
  readonly growth: number;
  /** Probes that the turn's passes were asked, and the sum of their scores. */
  readonly probes: number;
  readonly score: number;
  /** Blocks of which content left, and those of them that were needed again. */
  readonly departed: number;
  readonly regretted: number;
}

export function newTurn(turn: number): TurnFigures {
  return {
    turn,
    utilization: 0,
    tokens: 0,
    max_tokens: 0,
    zone: "green",
    tool_result_bloat: 0,
    evicted: 0,
    growth: 0,
    probes: 0,
    score: 0,
    departed: 0,
    regretted: 0,
  };
}

/** What one pass took out of the context, and what it left in its place: raw tokens. */
export interface PassFigures {
  readonly turn: number;
  readonly taken: number;
  readonly left: number;
}
