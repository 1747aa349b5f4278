import { describe, expect, it } from "vitest";
import { initialGenerations, judgeFold, keptProbes, nextGenerations } from "../../src/fidelity/generations.ts";
import { PROBE_TYPES, type Probe, type ProbeType } from "../../src/model/probe.ts";

const probe = (type: ProbeType, fact: string): Probe => ({
  ...{ type, question: "?", facts: [fact], within: null, share: 1, blockId: "b1", turn: 1 },
});

/** The state after folds that each asked for the given files. */
function foldedAfter(...folds: string[][]) {
  let state = initialGenerations();
  for (const [at, facts] of folds.entries()) {
    state = nextGenerations(state, at + 1, keptProbes(facts.map((fact) => probe("file", fact))));
  }
  return state;
}

describe("generations", () => {
  it("ask again what earlier folds were asked for, the youngest first", () => {
    const state = foldedAfter(["a1.ts", "a2.ts"], ["b1.ts"]);
    const { generation, verdict, curve } = judgeFold(state, [probe("file", "c1.ts")], ["c1.ts, b1.ts and a2.ts"]);
    expect(generation).toBe(3);
    expect(verdict).toMatchObject({ score: 1, kept: [true] });
    expect(curve).toEqual([
      { age: 1, score: 1, probes: 1 },
      { age: 2, score: 0.5, probes: 2 },
    ]);
  });

  it("forget the oldest of more than four", () => {
    const state = foldedAfter(["a1.ts"], ["b1.ts"], ["c1.ts"], ["d1.ts"], ["e1.ts"]);
    expect(state.kept.map(({ generation }) => generation)).toEqual([2, 3, 4, 5]);
    expect(judgeFold(state, [], []).curve.map(({ age }) => age)).toEqual([1, 2, 3, 4]);
  });

  it("keep twenty probes of a fold, of every type that it had", () => {
    const probes = PROBE_TYPES.flatMap((type) => Array.from({ length: 9 }, (_, n) => probe(type, `${type}_${n}`)));
    const kept = keptProbes(probes);
    expect(kept).toHaveLength(20);
    expect(new Set(kept.map(({ type }) => type))).toEqual(new Set(PROBE_TYPES));
    expect(kept.map(({ facts }) => facts[0])).toContain("next_step_0");
  });

  it("are plain JSON", () => {
    const state = foldedAfter(["a1.ts"], ["b1.ts"]);
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  it("leave folds that asked for nothing out of the curve", () => {
    expect(judgeFold(foldedAfter([], ["b1.ts"]), [], ["b1.ts"]).curve).toEqual([{ age: 1, score: 1, probes: 1 }]);
  });
});
