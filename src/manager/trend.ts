import { setImmediate as nextTurn } from "node:timers/promises";
import { tokensByComponent } from "../budget/index.ts";
import { type HealthMetrics, type HealthState, initialHealth, viewAt } from "../health/index.ts";
import type { Component } from "../model/block.ts";
import type { CoreEvent } from "../model/events.ts";
import type { SessionKey } from "../model/session-key.ts";
import type { Zone } from "../model/zone.ts";
import type { Journal } from "../store/journal.ts";
import { foldHealth } from "./health-fold.ts";
import { readBody } from "./row.ts";
import { type TrendWindow, WindowCourse } from "./trend-windows.ts";

/** Rows read at a time, after which other calls have their turn; and at most: the newest. */
const PAGE = 250;
export const MOST_TREND_ROWS = 20_000;

/** Rows that hold none of these tell nothing of a trend and need not be parsed. */
const TELLING =
  /"(?:turn\.started|history\.compacted|block\.evicted|fidelity\.evaluated|window\.(?:opened|closed|resized))"|"moment":"(?:turn|edit)"/;

/** How the context stood after one measurement: at a turn's start, or after an edit. */
export interface TrendPoint {
  readonly position: number;
  readonly at: number;
  readonly turn: number;
  readonly window_number: number;
  readonly moment: "turn" | "edit";
  readonly tokens: number;
  readonly utilization: number;
  readonly zone: Zone;
  /** Of `tokens`, by component: see `tokensByComponent`. */
  readonly components: Partial<Record<Component, number>>;
  /** Over the ten turns up to then. */
  readonly metrics: HealthMetrics;
}

/** A session's course. `from`: position of the first row that was read. */
export interface Trend {
  readonly from: number;
  /** Oldest first. */
  readonly points: readonly TrendPoint[];
  readonly windows: readonly TrendWindow[];
}

/** The session's measurements from its journal. `windowNumber`: that of its window after the last row. */
export async function readTrend(
  journal: Pick<Journal, "rows">,
  key: SessionKey,
  { position: lastPosition, windowNumber }: { readonly position: number; readonly windowNumber: number },
): Promise<Trend> {
  const first = Math.max(1, lastPosition - MOST_TREND_ROWS + 1);
  const points: (Omit<TrendPoint, "window_number"> & { readonly window: number })[] = [];
  const course = new WindowCourse();
  let health: HealthState = initialHealth();
  for (let from = first; from <= lastPosition; from += PAGE) {
    const limit = Math.min(PAGE, lastPosition - from + 1);
    for (const { body, at, sessionSeq } of await journal.rows(key, { from, limit })) {
      if (!TELLING.test(body)) continue;
      for (const event of readBody(body).events) {
        health = foldHealth(health, event, () => true);
        course.note(event);
        const metrics = viewAt(health, 0)?.metrics;
        const point = metrics ? measured(event) : null;
        if (metrics && point) points.push({ ...point, position: sessionSeq, at, window: course.index, metrics });
      }
    }
    await nextTurn();
  }
  const windows = course.end(windowNumber);
  return {
    from: first,
    points: points.map(({ window, ...point }) => ({
      ...point,
      window_number: windows[window]?.number ?? windowNumber,
    })),
    windows,
  };
}

/** What a measurement tells of the context; null of one within a turn, and of any other event. */
function measured(event: CoreEvent) {
  if (event.type !== "pressure.measured" || event.data.moment === "within") return null;
  const { turn, moment, tokens, utilization, zone, components } = event.data;
  return { turn, moment, tokens, utilization, zone, components: tokensByComponent(tokens, components ?? {}) };
}
