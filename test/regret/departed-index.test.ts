import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DepartedIndex, type Departure } from "../../src/regret/index.ts";
import { departure } from "../support/departures.ts";

/** Texts are numbers with blanks between them: each is an identifier. */
function emptyIndex() {
  return new DepartedIndex({
    identifiers: (text) => new Set(text.split(" ").filter(Boolean).map(Number)),
    callKey: (name, argumentsText) => `${name} ${argumentsText}`,
  });
}

function indexOf(...left: readonly (readonly [Departure, string])[]) {
  const index = emptyIndex();
  for (const [each, text] of left) index.add({ departure: each, identifiers: null, text });
  index.settle();
  return index;
}

const ids = (departures: readonly Departure[] | null) => departures?.map((each) => each.blockId);

describe("the index of what left", () => {
  it("knows what held an identifier, whether it was read before or is read now", () => {
    const index = emptyIndex();
    index.add({ departure: departure("b1"), identifiers: [7, 8], text: null });
    index.add({ departure: departure("b2"), identifiers: null, text: "8 9" });
    index.settle();
    expect(ids(index.holders(7, 6))).toEqual(["b1"]);
    expect(ids(index.holders(8, 6))).toEqual(["b1", "b2"]);
    expect(ids(index.holders(10, 6))).toEqual([]);
  });

  it("does not tell who held what more blocks held than asked for", () => {
    const index = indexOf(...[1, 2, 3].map((n) => [departure(`b${n}`, { turn: n }), "5"] as const));
    expect(ids(index.holders(5, 3))).toEqual(["b1", "b2", "b3"]);
    expect(index.holders(5, 2)).toBeNull();
  });

  it("names a block that left twice once, by its last departure", () => {
    const index = indexOf(
      [departure("b1", { turn: 1, passId: "p1" }), "5 6"],
      [departure("b1", { turn: 3, passId: "p2" }), "5"],
    );
    expect(index.holders(5, 1)?.map(({ passId }) => passId)).toEqual(["p2"]);
    expect(index.holders(6, 1)?.map(({ passId }) => passId)).toEqual(["p1"]);
  });

  it("knows which result of a call left last", () => {
    const call = { id: "c", argumentsText: "{}" };
    const index = indexOf(
      [departure("b1", { call }), ""],
      [departure("b2", { call, turn: 2 }), ""],
      [departure("b3", { call: { id: "c", argumentsText: '{"path":1}' }, turn: 2 }), ""],
      [departure("b4", { turn: 3 }), ""],
    );
    expect(index.resultOf("read_file {}")?.blockId).toBe("b2");
    expect(index.resultOf("write_file {}")).toBeNull();
  });

  it("forgets a turn when ten have passed since", () => {
    const index = indexOf([departure("b1", { turn: 4 }), "5"], [departure("b2", { turn: 5 }), "5"]);
    index.expire(14);
    expect(ids(index.holders(5, 6))).toEqual(["b1", "b2"]);
    index.expire(15);
    expect(ids(index.holders(5, 6))).toEqual(["b2"]);
    expect(index.isEmpty).toBe(false);
    index.expire(16);
    expect(index.isEmpty).toBe(true);
  });

  it("tells identifiers apart by 32 bits of their hash", () => {
    const index = emptyIndex();
    const large = [2 ** 52 + 5, 2 ** 53 - 1, 0, 2 ** 32 - 1];
    for (const [at, identifier] of large.slice(0, 3).entries()) {
      index.add({ departure: departure(`b${at}`), identifiers: [identifier], text: null });
    }
    index.settle();
    expect(large.map((identifier) => ids(index.holders(identifier, 6)))).toEqual([["b0"], ["b1"], ["b2"], ["b1"]]);
  });

  it("holds a bounded number of identifiers a turn, however much left", () => {
    const index = emptyIndex();
    const block = (n: number) => Array.from({ length: 2_000 }, (_, at) => n * 2_000 + at);
    for (let n = 0; n < 20; n++) index.add({ departure: departure(`b${n}`), identifiers: block(n), text: null });
    index.settle();
    expect(ids(index.holders(0, 6))).toEqual(["b0"]);
    expect(ids(index.holders(16_383, 6))).toEqual(["b8"]);
    expect(ids(index.holders(16_384, 6))).toEqual([]);
  });

  it("is the same, whatever the slices in which it was read", () => {
    const left = fc.array(
      fc.record({ block: fc.nat(9), turn: fc.nat(3), held: fc.array(fc.nat(12), { maxLength: 6 }) }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(left, fc.array(fc.nat(4), { maxLength: 40 }), (departures, slices) => {
        const ordered = [...departures].sort((a, b) => a.turn - b.turn);
        const entries = ordered.map(({ block, turn, held }, at) => {
          const call = { id: `c${at}`, argumentsText: String(held[0]) };
          return [departure(`b${block}`, { turn, call }), held.join(" ")] as const;
        });
        const whole = indexOf(...entries);
        const sliced = emptyIndex();
        for (const [at, [each, text]] of entries.entries()) {
          sliced.add({ departure: each, identifiers: null, text });
          sliced.settle(slices[at] ?? 0);
        }
        while (sliced.waiting > 0) sliced.settle(1);
        for (let identifier = 0; identifier <= 12; identifier++) {
          const expected = new Set(ordered.filter((each) => each.held.includes(identifier)).map(({ block }) => block));
          expect(new Set(whole.holders(identifier, 99)?.map(({ blockId }) => Number(blockId.slice(1))))).toEqual(
            expected,
          );
          expect(sliced.holders(identifier, 99)).toEqual(whole.holders(identifier, 99));
          expect(sliced.resultOf(`read_file ${identifier}`)).toEqual(whole.resultOf(`read_file ${identifier}`));
        }
      }),
    );
  });
});
