import { type Estimate, estimate } from "../replay/bootstrap.ts";
import { type Comparison, samplesOf, type TrialPair } from "./comparison.ts";
import type { Objective } from "./objective.ts";

/**
 * What the held-back runs say of the choice. `kept`: the settings that the search started from were chosen. `better`,
 * `worse`: the interval of the difference is on that side of 0, or bounds that were asked for are kept by one alone.
 */
type VerdictName = "better" | "equal" | "worse" | "kept";

export interface Verdict {
  readonly name: VerdictName;
  /** For people: what to do, and by how much. */
  readonly sentence: string;
}

export interface VerdictInput {
  readonly objective: Objective;
  /** Whether the start was chosen. */
  readonly isStart: boolean;
  /** Whether the start keeps the bounds on the training runs. */
  readonly startKeepsBounds: boolean;
  readonly trials: TrialPair;
  readonly comparison: Comparison;
}

export function verdictOf({ objective, isStart, startKeepsBounds, trials, comparison }: VerdictInput): Verdict {
  const { line, cost, worth } = comparison.difference;
  const broken = brokenBound(objective, trials.tuned, comparison);
  if (isStart) {
    const bounds = startKeepsBounds ? "" : " They break the bounds that you asked for, and so does all that was tried.";
    return {
      name: "kept",
      sentence: `Nothing that was tried beats your settings by more than luck would on the training runs: the result equals them, keep them.${bounds}`,
    };
  }
  const by = `line recall ${signed(line)}, cost ${signed(cost)}`;
  if (broken !== null) {
    return {
      name: "worse",
      sentence: `On the held-back runs the tuned settings miss a bound (${broken}): keep yours.`,
    };
  }
  if (!startKeepsBounds && bringsWithinBounds(objective, comparison)) {
    return { name: "better", sentence: `The tuned settings keep the bounds, which yours break: ${by}.` };
  }
  if (worth !== null && worth.low > 0) {
    return {
      name: "better",
      sentence: `The tuned settings are better by ${signed(worth)} (${objective.name}): ${by}.`,
    };
  }
  if (worth !== null && worth.high < 0) {
    return {
      name: "worse",
      sentence: `The tuned settings are worse on the held-back runs by ${signed(worth)} (${objective.name}): keep yours.`,
    };
  }
  return {
    name: "equal",
    sentence: `The tuned settings equal yours within the interval, ${signed(worth)} (${objective.name}): keep yours. The tuned ones: ${by}.`,
  };
}

/** The bound that settings break by more than the interval, in words; null where they keep all. */
function brokenBound(objective: Objective, tuned: TrialPair["tuned"], { difference }: Comparison): string | null {
  const { maxCost, minRecall, name } = objective;
  const over = (figure: "line" | "cost", bound: number) =>
    estimate(
      samplesOf(tuned, ({ figures }) => {
        const value = figures[figure];
        return value === null ? null : value - bound;
      }),
    );
  if (maxCost !== null) {
    const above = over("cost", maxCost);
    if (above !== null && above.low > 0) return `cost ${signed(above)} from ${maxCost}`;
  } else if (name === "recall" && difference.cost !== null && difference.cost.low > 0) {
    return `cost ${signed(difference.cost)} from yours`;
  }
  if (minRecall !== null) {
    const off = over("line", minRecall);
    if (off !== null && off.high < 0) return `line recall ${signed(off)} from ${minRecall}`;
  } else if (name === "cost" && difference.line !== null && difference.line.high < 0) {
    return `line recall ${signed(difference.line)} from yours`;
  }
  return null;
}

/** Whether, on the held-back runs too, the start misses a bound that the choice is nearer to by more than the interval. */
function bringsWithinBounds({ maxCost, minRecall }: Objective, { start, difference }: Comparison): boolean {
  const isCheaper = maxCost !== null && (start.cost?.mean ?? 0) > maxCost && (difference.cost?.high ?? 0) < 0;
  const keepsMore = minRecall !== null && (start.line?.mean ?? 1) < minRecall && (difference.line?.low ?? 0) > 0;
  return isCheaper || keepsMore;
}

/** An estimate with its interval and always a sign: `+0.012 [-0.003, +0.027]`. */
export function signed(estimate: Estimate | null): string {
  if (estimate === null) return "-";
  const text = (value: number) => {
    const digits = Math.abs(value).toFixed(3);
    return value < 0 && Number(digits) !== 0 ? `-${digits}` : `+${digits}`;
  };
  return `${text(estimate.mean)} [${text(estimate.low)}, ${text(estimate.high)}]`;
}
