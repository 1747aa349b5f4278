import type { RelativePrices } from "../tokens/index.ts";
import { grouped } from "./grouping.ts";
import { type PolicyResult, resultOf } from "./policy-result.ts";
import type { ReplayOptions, RunReport } from "./replay.ts";
import { rowsOf, taskNames, type WireRow, wireRow } from "./report-rows.ts";

/** A run that could not be replayed. */
export interface Failure {
  readonly path: string;
  readonly reason: string;
  readonly message: string;
}

/** What `contextd replay --json` prints. */
export interface ReplayReport {
  readonly policies: readonly string[];
  readonly windows: readonly string[];
  readonly count: string;
  /** Whose cache prices were reckoned with; null: the ratios of the cost measure. */
  readonly model: string | null;
  /** What the cache costs, as multiples of a fresh input token; null when nothing was replayed. */
  readonly prices: RelativePrices | null;
  readonly format: string;
  readonly runs: number;
  readonly tasks: number;
  readonly results: readonly PolicyResult[];
  readonly skipped: readonly { readonly window: string; readonly reason: string; readonly runs: number }[];
  readonly failures: readonly Failure[];
  readonly replays: readonly WireRow[];
}

/** Sums up the replays of many runs. */
export function reportOf(
  options: ReplayOptions,
  runs: readonly RunReport[],
  failures: readonly Failure[],
): ReplayReport {
  const rows = rowsOf(runs);
  const reference = options.policies[0] as string;
  const results = options.windows.flatMap((window) =>
    options.policies.map((policy) => resultOf({ rows, window, policy, reference })),
  );
  return {
    policies: options.policies,
    windows: options.windows,
    count: options.count,
    model: options.model,
    prices: runs[0]?.prices ?? null,
    format: options.format ?? "as recorded",
    runs: runs.length,
    tasks: new Set(runs.map(taskNames(runs))).size,
    results: results.filter((result) => result.runs > 0),
    skipped: skippedRuns(runs),
    failures,
    replays: rows.map(wireRow),
  };
}

function skippedRuns(runs: readonly RunReport[]): ReplayReport["skipped"] {
  const counts = grouped(
    runs.flatMap(({ skipped }) => skipped),
    ({ window, reason }) => `${window} ${reason}`,
  );
  return [...counts.values()].flatMap((same) => (same[0] ? [{ ...same[0], runs: same.length }] : []));
}
