import { solve } from "./cholesky.ts";
import type { RowTable } from "./row-table.ts";

export interface FitOptions {
  /** Weight of the penalty alpha / 2 x |weights|^2 on standardised features, beside the mean deviance. Above 0. */
  readonly alpha: number;
  /** Added to each feature's deviation, in squares. 0 or more. */
  readonly leastDeviation: number;
  /** Numbers of the features that may weigh. */
  readonly features: readonly number[];
  /** Runs that are learned from. */
  readonly includes: (run: number) => boolean;
}

/** exp(bias + weights x features) is the expected need. One weight a feature of the table; 0 for those left out. */
export interface Fit {
  readonly bias: number;
  readonly weights: Float64Array;
}

const MOST_STEPS = 30;
/** A step that gains less ends the search. */
const LEAST_GAIN = 1e-7;
const SMALLEST_STEP = 1e-4;
/** Bound of the exponent while the search is under way. */
const MOST_EXPONENT = 20;
/** A feature that varies less than this, for its size, is constant but for rounding. */
const ROUNDING = 1e-6;
/** Keeps the curvature positive where a feature never varies. */
const RIDGE = 1e-9;

/**
 * Poisson regression with a logarithmic link and a ridge penalty, by Newton's method with step halving. Features are
 * standardised for the fit, and the weights answered are those of the raw features. Throws RangeError when no row is
 * included, or none that met a need.
 */
export function fitPoisson(table: RowTable, options: FitOptions): Fit {
  const problem = standardised(table, options);
  const { width, alpha } = problem;
  let weights = new Float64Array(width);
  weights[width - 1] = Math.log(problem.meanNeed);
  let loss = lossOf(problem, weights);
  for (let step = 0; step < MOST_STEPS; step++) {
    const direction = newtonDirection(problem, weights, alpha);
    let size = 1;
    let next = moved(weights, direction, size);
    let nextLoss = lossOf(problem, next);
    while (nextLoss > loss && size > SMALLEST_STEP) {
      size /= 2;
      next = moved(weights, direction, size);
      nextLoss = lossOf(problem, next);
    }
    if (nextLoss > loss) break;
    const gain = loss - nextLoss;
    weights = next;
    loss = nextLoss;
    if (gain < LEAST_GAIN) break;
  }
  return unstandardised(table.width, options.features, problem, weights);
}

interface Problem {
  readonly alpha: number;
  /** Standardised features of the included rows and a constant 1, row by row. */
  readonly features: Float64Array;
  /** Features and the constant. */
  readonly width: number;
  readonly needs: Float64Array;
  /** Sum to 1. */
  readonly shares: Float64Array;
  readonly means: Float64Array;
  readonly deviations: Float64Array;
  readonly meanNeed: number;
  /** The linear predictor of each row under the weights that were tried last. */
  readonly exponents: Float64Array;
}

function standardised(table: RowTable, { alpha, leastDeviation, features: chosen, includes }: FitOptions): Problem {
  const rows: number[] = [];
  for (let row = 0; row < table.length; row++) if (includes(table.runs[row] as number)) rows.push(row);
  const total = rows.reduce((sum, row) => sum + (table.weights[row] as number), 0);
  const shares = Float64Array.from(rows, (row) => (table.weights[row] as number) / total);
  const needs = Float64Array.from(rows, (row) => table.needs[row] as number);
  const meanNeed = needs.reduce((sum, need, at) => sum + need * (shares[at] as number), 0);
  if (!(meanNeed > 0)) throw new RangeError("no row to learn from met a need");
  const width = chosen.length + 1;
  const features = new Float64Array(rows.length * width).fill(1);
  const means = new Float64Array(chosen.length);
  const deviations = new Float64Array(chosen.length);
  for (const [column, feature] of chosen.entries()) {
    let mean = 0;
    for (const [at, row] of rows.entries()) mean += (shares[at] as number) * table.feature(row, feature);
    let variance = 0;
    for (const [at, row] of rows.entries()) {
      variance += (shares[at] as number) * (table.feature(row, feature) - mean) ** 2;
    }
    const own = Math.sqrt(variance);
    const varies = own > ROUNDING * (1 + Math.abs(mean));
    const deviation = varies ? Math.hypot(own, leastDeviation) : 1;
    for (const [at, row] of rows.entries()) {
      features[at * width + column] = (table.feature(row, feature) - mean) / deviation;
    }
    means[column] = mean;
    deviations[column] = deviation;
  }
  return {
    alpha,
    features,
    width,
    needs,
    shares,
    means,
    deviations,
    meanNeed,
    exponents: new Float64Array(rows.length),
  };
}

/** Mean of the negative log-likelihood, with the penalty; writes the exponents. */
function lossOf(problem: Problem, weights: Float64Array): number {
  const { features, width, needs, shares, exponents, alpha } = problem;
  let loss = 0;
  for (let row = 0; row < needs.length; row++) {
    const at = row * width;
    let exponent = 0;
    for (let column = 0; column < width; column++) {
      exponent += (weights[column] as number) * (features[at + column] as number);
    }
    exponent = Math.min(MOST_EXPONENT, exponent);
    exponents[row] = exponent;
    loss += (shares[row] as number) * (Math.exp(exponent) - (needs[row] as number) * exponent);
  }
  for (let column = 0; column < width - 1; column++) loss += (alpha / 2) * (weights[column] as number) ** 2;
  return loss;
}

/** Curvature^-1 x gradient at the exponents of the last loss. The constant is not penalised. */
function newtonDirection(problem: Problem, weights: Float64Array, alpha: number): Float64Array {
  const { features, width, needs, shares, exponents } = problem;
  const gradient = new Float64Array(width);
  const curvature = new Float64Array(width * width);
  for (let row = 0; row < needs.length; row++) {
    const at = row * width;
    const share = shares[row] as number;
    const expected = Math.exp(exponents[row] as number);
    const residual = share * (expected - (needs[row] as number));
    for (let column = 0; column < width; column++) {
      const feature = features[at + column] as number;
      gradient[column] = (gradient[column] as number) + residual * feature;
      const scaled = share * expected * feature;
      const line = column * width;
      for (let other = 0; other <= column; other++) {
        curvature[line + other] = (curvature[line + other] as number) + scaled * (features[at + other] as number);
      }
    }
  }
  for (let column = 0; column < width; column++) {
    const penalty = column < width - 1 ? alpha : 0;
    gradient[column] = (gradient[column] as number) + penalty * (weights[column] as number);
    const diagonal = column * width + column;
    curvature[diagonal] = (curvature[diagonal] as number) + penalty + RIDGE;
  }
  return solve(curvature, gradient);
}

function moved(from: Float64Array, direction: Float64Array, size: number): Float64Array<ArrayBuffer> {
  return Float64Array.from(from, (weight, at) => weight - size * (direction[at] as number));
}

function unstandardised(
  width: number,
  chosen: readonly number[],
  { means, deviations, width: own }: Problem,
  weights: Float64Array,
): Fit {
  const raw = new Float64Array(width);
  let bias = weights[own - 1] as number;
  for (const [column, feature] of chosen.entries()) {
    const weight = (weights[column] as number) / (deviations[column] as number);
    raw[feature] = weight;
    bias -= weight * (means[column] as number);
  }
  return { bias, weights: raw };
}
