import { z } from "zod";
import type { Clock } from "../model/clock.ts";
import { MINUTE_MS } from "../telemetry/minutes.ts";
import type { MinuteTotals } from "../telemetry/totals.ts";
import type { MinuteHooks } from "./call-figures.ts";

const column = z.array(z.number());
const withGaps = z.array(z.number().nullable());

/** The last hour in columns of equal length, a minute a place, the oldest first; the last minute is not over. */
export const historyResult = z
  .object({
    interval_seconds: z.number(),
    at: column.describe("When each minute began, ms since the epoch."),
    hooks_per_second: column,
    p99_ms: withGaps.describe("Within 5 %; null in a minute without a hook."),
    tokens_freed: column,
    overflows: column.describe("Prompts and answers that overflowed their window."),
    needed_again: withGaps.describe("Blocks needed again over content that left; null where none left."),
    cost_ratio: withGaps.describe(
      "What the calls cost over what they would have cost without edits; null where no usage told of the cache.",
    ),
    count_error: withGaps.describe("As `estimator_error`; null where no provider counted a prompt."),
  })
  .describe("The last hour, one point a minute, kept in memory since the daemon's start.");

export type StatusHistory = z.input<typeof historyResult>;

/** Joins what is known of hooks and of events; both have the same minutes. */
export function historyOf(clock: Clock, hooks: readonly MinuteHooks[], totals: readonly MinuteTotals[]): StatusHistory {
  const began = clock.now() - (clock.monotonic() % MINUTE_MS);
  return {
    interval_seconds: MINUTE_MS / 1000,
    at: hooks.map((_, index) => Math.round(began - (hooks.length - 1 - index) * MINUTE_MS)),
    hooks_per_second: hooks.map(({ perSecond }) => perSecond),
    p99_ms: hooks.map(({ p99Ms }) => p99Ms),
    tokens_freed: totals.map(({ tokensFreed }) => tokensFreed),
    overflows: totals.map(({ overflows }) => overflows),
    needed_again: totals.map(({ neededAgain }) => neededAgain),
    cost_ratio: totals.map(({ costRatio }) => costRatio),
    count_error: totals.map(({ countError }) => countError),
  };
}
