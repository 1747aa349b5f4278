import { type HealthMetrics, type HealthState, initialHealth, viewAt } from "../health/index.ts";
import type { SessionKey } from "../model/session-key.ts";
import type { Zone } from "../model/zone.ts";
import type { Journal } from "../store/journal.ts";
import { foldHealth } from "./health-fold.ts";
import { readBody } from "./row.ts";

/** Rows read at a time, and at most: the newest. */
const PAGE = 500;
export const MOST_TREND_ROWS = 20_000;

/** Rows that hold none of these tell nothing of a trend and need not be parsed. */
const TELLING = /"(?:turn\.started|history\.compacted|block\.evicted|fidelity\.evaluated)"|"moment":"(?:turn|edit)"/;

/** How the context stood after one measurement: at a turn's start, or after an edit. */
export interface TrendPoint {
  readonly position: number;
  readonly at: number;
  readonly turn: number;
  readonly moment: "turn" | "edit";
  readonly tokens: number;
  readonly utilization: number;
  readonly zone: Zone;
  /** Over the ten turns up to then. */
  readonly metrics: HealthMetrics;
}

/** The session's measurements from its journal, oldest first. `from`: position of the first row that was read. */
export async function readTrend(
  journal: Pick<Journal, "rows">,
  key: SessionKey,
  lastPosition: number,
): Promise<{ readonly from: number; readonly points: readonly TrendPoint[] }> {
  const first = Math.max(1, lastPosition - MOST_TREND_ROWS + 1);
  const points: TrendPoint[] = [];
  let health: HealthState = initialHealth();
  for (let from = first; from <= lastPosition; from += PAGE) {
    const limit = Math.min(PAGE, lastPosition - from + 1);
    for (const { body, at, sessionSeq } of await journal.rows(key, { from, limit })) {
      if (!TELLING.test(body)) continue;
      for (const event of readBody(body).events) {
        health = foldHealth(health, event, () => true);
        if (event.type !== "pressure.measured" || event.data.moment === "within") continue;
        const { turn, moment, tokens, utilization, zone } = event.data;
        const metrics = viewAt(health, 0)?.metrics;
        if (metrics) points.push({ position: sessionSeq, at, turn, moment, tokens, utilization, zone, metrics });
      }
    }
  }
  return { from: first, points };
}
