import type { Action, Reading, Status, ZoneThresholds } from "../model/zone.ts";

export interface RouteInput {
  readonly reading: Pick<Reading, "tokens" | "utilization" | "zone">;
  /** The forecast of `Measurement`: red is near, whatever the zone says. */
  readonly forecastOrange: boolean;
  /** See `outputReserveFree`. */
  readonly outputReserveFree: boolean;
  /** `pressure.emergency`, a share of the window. */
  readonly emergency: number;
  /** What an eviction would go down to: a forecast orders none that has nothing to free. */
  readonly targetTokens: number;
}

export interface Route {
  readonly action: Action;
  readonly status: Status;
}

/** Utilization from which the window is given up when an emergency compaction could not get below it. */
const SAVE_AFTER_EMERGENCY = 0.93;

/** Share of the orange threshold that `target_utilization: auto` evicts down to, the ledger included. */
const AUTO_TARGET_OF_ORANGE = 0.65;

/**
 * What to do at a turn's start. Red means compaction now; the emergency begins where the window is nearly full
 * (`emergency`) or the room that the answer needs is taken, whichever comes first.
 */
export function route(input: RouteInput): Route {
  const { zone, utilization, tokens } = input.reading;
  if (utilization >= input.emergency || !input.outputReserveFree) {
    return { action: "emergency_compaction", status: "emergency" };
  }
  if (zone === "red") return { action: "compact", status: "active_management" };
  if (zone === "orange" || (input.forecastOrange && tokens > input.targetTokens)) {
    return { action: "evict", status: "active_management" };
  }
  if (zone === "yellow") return { action: "evaluate", status: "preparing" };
  return { action: "none", status: "healthy" };
}

/** Whether an emergency compaction that left the context at `utilization` was not enough, so that the window is to be left. */
export function needsNextWindow(utilization: number): boolean {
  return utilization >= SAVE_AFTER_EMERGENCY;
}

/** Tokens that a pass goes down to: `eviction.target_utilization` of the window, `auto` = 0.65 x orange. */
export function targetTokens(
  targetUtilization: number | "auto",
  thresholds: ZoneThresholds,
  maxTokens: number,
): number {
  const share = targetUtilization === "auto" ? AUTO_TARGET_OF_ORANGE * thresholds.orange : targetUtilization;
  return Math.floor(share * maxTokens);
}
