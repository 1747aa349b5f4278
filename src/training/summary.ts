import { grouped } from "../replay/grouping.ts";
import type { HeldOut } from "./held-out.ts";

/** Means over runs at one window; null where no run has the figure. */
export interface Summary {
  readonly runs: number;
  readonly line: number | null;
  readonly far: number | null;
  readonly grounded: number | null;
  readonly cost: number | null;
}

/** By window, in the order in which they were played. */
export type Summaries = Readonly<Record<string, Summary>>;

export function summariesOf(played: readonly HeldOut[]): Summaries {
  return Object.fromEntries(
    [...grouped(played, ({ window }) => window)].map(([window, own]) => [window, summaryOf(own)]),
  );
}

/** By family, then by window. */
export function familySummariesOf(played: readonly HeldOut[]): Readonly<Record<string, Summaries>> {
  const families = [...grouped(played, ({ run }) => run.family)].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(families.map(([family, own]) => [family, summariesOf(own)]));
}

const DIGITS = 1e4;

function summaryOf(played: readonly HeldOut[]): Summary {
  const mean = (name: "line" | "far" | "grounded" | "cost") => {
    const found = played.flatMap(({ figures }) => figures[name] ?? []);
    if (found.length === 0) return null;
    return Math.round((found.reduce((sum, value) => sum + value, 0) / found.length) * DIGITS) / DIGITS;
  };
  return {
    runs: played.length,
    line: mean("line"),
    far: mean("far"),
    grounded: mean("grounded"),
    cost: mean("cost"),
  };
}
