import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FEATURES } from "../../src/ledger/features/index.ts";
import { readNeedModel } from "../../src/ledger/need-model.ts";

const FILE = { kind: "log-linear", version: 1, bias: -2, weights: { [FEATURES[0] as string]: 1.5 } };
const features = (first: number) => Float64Array.from(FEATURES, (_, at) => (at === 0 ? first : 3));

describe("a need model", () => {
  test("scores exp(bias + weights x features); features that it does not name weigh nothing", () => {
    const model = readNeedModel(FILE);
    expect(model.score(features(0))).toBeCloseTo(Math.exp(-2), 12);
    expect(model.score(features(2))).toBeCloseTo(Math.exp(1), 12);
  });

  test("keeps its scores within bounds, whatever the features", () => {
    const model = readNeedModel(FILE);
    expect(model.score(features(1e9))).toBe(Math.exp(5));
    expect(model.score(features(-1e9))).toBe(Math.exp(-30));
  });

  test("may tell what it was learned from", () => {
    expect(readNeedModel({ ...FILE, provenance: { runs: 3, anything: ["else"] } }).score(features(0))).toBeGreaterThan(
      0,
    );
  });

  test.each([
    ["no object", "weights"],
    ["another kind", { ...FILE, kind: "forest" }],
    ["a version to come", { ...FILE, version: 2 }],
    ["a weight that is no number", { ...FILE, weights: { [FEATURES[0] as string]: "1" } }],
    ["no bias", { ...FILE, bias: undefined }],
    ["a provenance that is no object", { ...FILE, provenance: "mine" }],
  ])("that is %s is refused, with the cure", (_name, file) => {
    expect(() => readNeedModel(file)).toThrow(/train-need-model/);
  });

  test("that weighs unknown features is refused by their names", () => {
    expect(() => readNeedModel({ ...FILE, weights: { moon_phase: 1 } })).toThrow(/moon_phase.*train it anew/);
  });

  test("comes with contextd, and tells what it was learned from", () => {
    const file = JSON.parse(readFileSync(new URL("../../src/ledger/need-model.json", import.meta.url), "utf8"));
    expect(() => readNeedModel(file)).not.toThrow();
    expect(Object.keys(file.weights).length).toBeGreaterThan(20);
  });
});
