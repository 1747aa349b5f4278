import { describe, expect, test } from "vitest";
import { type FitOptions, fitPoisson } from "../../src/training/poisson.ts";
import { RowTable } from "../../src/training/row-table.ts";
import { drawOf } from "../../src/training/sampling.ts";

const BIAS = -1;
const WEIGHTS = [0.8, -0.5, 0];
const SCALES = [1, 10, 0.1];

/** Normal draws, the same each time. */
function normal(name: string): number {
  const [a, b] = [drawOf(`${name} a`), drawOf(`${name} b`)];
  return Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b);
}

/** A draw from the Poisson distribution, by inversion. */
function poisson(mean: number, draw: number): number {
  let count = 0;
  let term = Math.exp(-mean);
  for (let sum = term; sum < draw && count < 50; sum += term) {
    count++;
    term *= mean / count;
  }
  return count;
}

/** Rows of a known model, by two runs: the second one's needs are noise. */
function syntheticRows(rows: number): RowTable {
  const table = new RowTable(WEIGHTS.length);
  for (let row = 0; row < rows; row++) {
    const features = Float64Array.from(SCALES, (scale, at) => scale * normal(`${row} ${at}`) + at);
    const exponent = WEIGHTS.reduce((sum, weight, at) => {
      const standard = ((features[at] as number) - at) / (SCALES[at] as number);
      return sum + weight * standard;
    }, BIAS);
    table.add(features, { need: poisson(Math.exp(exponent), drawOf(`need ${row}`)), weight: 1, run: 0 });
    table.add(features, { need: poisson(1, drawOf(`noise ${row}`)), weight: 1, run: 1 });
  }
  return table;
}

const table = syntheticRows(4000);
const OPTIONS: FitOptions = { alpha: 1e-6, leastDeviation: 0, features: [0, 1, 2], includes: (run) => run === 0 };

describe("the fit", () => {
  test("recovers the weights that the rows were made with, whatever the scale of the features", () => {
    const { bias, weights } = fitPoisson(table, OPTIONS);
    const expected = WEIGHTS.map((weight, at) => weight / (SCALES[at] as number));
    for (const [at, weight] of expected.entries()) {
      expect(Math.abs((weights[at] as number) - weight) * (SCALES[at] as number)).toBeLessThan(0.05);
    }
    const atCentre = bias + weights.reduce((sum, weight, at) => sum + weight * at, 0);
    expect(Math.abs(atCentre - BIAS)).toBeLessThan(0.05);
  });

  test("reads no row of a run that is left out", () => {
    const alone = new RowTable(WEIGHTS.length);
    for (let row = 0; row < table.length; row++) {
      if (table.runs[row] !== 0) continue;
      const features = Float64Array.from(WEIGHTS, (_, at) => table.feature(row, at));
      alone.add(features, { need: table.needs[row] as number, weight: 1, run: 0 });
    }
    expect(fitPoisson(alone, OPTIONS)).toEqual(fitPoisson(table, OPTIONS));
  });

  test("gives no weight to a feature that is left out, nor to one that never varies", () => {
    expect(fitPoisson(table, { ...OPTIONS, features: [0, 2] }).weights[1]).toBe(0);
    const constant = new RowTable(2);
    for (let row = 0; row < 50; row++) {
      const facts = { need: row % 2, weight: 1, run: 0 };
      constant.add(Float64Array.of(row % 2, 7), facts);
    }
    const { weights } = fitPoisson(constant, { ...OPTIONS, alpha: 0.01, features: [0, 1] });
    expect(weights[0]).toBeGreaterThan(1);
    expect(Math.abs(weights[1] as number)).toBeLessThan(1e-6);
  });

  test("makes weights smaller as the penalty grows", () => {
    const sizes = [1e-6, 1e-2, 1, 100].map((alpha) =>
      Math.abs(fitPoisson(table, { ...OPTIONS, alpha }).weights[0] ?? 0),
    );
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(sizes[3]).toBeLessThan(0.1 * (sizes[0] as number));
  });

  test("gives no large weight to a feature that hardly varies, when deviations have a least", () => {
    const rare = new RowTable(1);
    for (let row = 0; row < 1000; row++) {
      rare.add(Float64Array.of(row < 5 ? 1 : 0), { need: row < 5 ? 2 : 0.1, weight: 1, run: 0 });
    }
    const weightAt = (leastDeviation: number) =>
      fitPoisson(rare, { ...OPTIONS, alpha: 0.05, leastDeviation, features: [0] }).weights[0] as number;
    expect(weightAt(0)).toBeGreaterThan(1);
    expect(weightAt(0.5)).toBeLessThan(0.5 * weightAt(0));
  });

  test("of twice the rows is the fit of rows that weigh twice as much", () => {
    const [twice, heavy] = [new RowTable(1), new RowTable(1)];
    for (let row = 0; row < 60; row++) {
      const features = Float64Array.of(row % 7);
      const facts = { need: row % 3, run: 0 };
      const copies = row % 2 === 0 ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) twice.add(features, { ...facts, weight: 1 });
      heavy.add(features, { ...facts, weight: copies });
    }
    const options = { ...OPTIONS, features: [0] };
    const [a, b] = [fitPoisson(twice, options), fitPoisson(heavy, options)];
    expect(a.bias).toBeCloseTo(b.bias, 9);
    expect(a.weights[0]).toBeCloseTo(b.weights[0] as number, 9);
  });

  test("of rows that met no need is refused", () => {
    const empty = new RowTable(1);
    empty.add(Float64Array.of(1), { need: 0, weight: 1, run: 0 });
    expect(() => fitPoisson(empty, { ...OPTIONS, features: [0] })).toThrow(RangeError);
    expect(() => fitPoisson(table, { ...OPTIONS, includes: () => false })).toThrow(RangeError);
  });
});

describe("draws", () => {
  test("depend on the text alone and are even", () => {
    const draws = Array.from({ length: 20_000 }, (_, at) => drawOf(`line ${at}`));
    expect(draws).toEqual(Array.from({ length: 20_000 }, (_, at) => drawOf(`line ${at}`)));
    const below = draws.filter((draw) => draw < 0.05).length;
    expect(below).toBeGreaterThan(850);
    expect(below).toBeLessThan(1150);
    expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...draws)).toBeLessThan(1);
  });
});
