import { describe, expect, it } from "vitest";
import {
  DepartedIndex,
  type Departure,
  detectRegrets,
  initialRegret,
  type LiveContent,
  noteRegret,
  type Use,
} from "../../src/regret/index.ts";
import { departure } from "../support/departures.ts";

const NOTHING_LIVE: LiveContent = { isLive: () => false, isAnswered: () => false };

function indexOf(...left: readonly (readonly [Departure, readonly number[]])[]) {
  const index = new DepartedIndex({ identifiers: () => [], callKey: (_name, argumentsText) => argumentsText });
  for (const [each, identifiers] of left) index.add({ departure: each, identifiers, text: null });
  index.settle();
  return index;
}

function detected(index: DepartedIndex, use: Partial<Use>, live: Partial<LiveContent> = {}, state = initialRegret()) {
  const found = detectRegrets(index, state, { identifiers: [], calls: [], ...use }, { ...NOTHING_LIVE, ...live });
  return found.map(({ kind, departure: { blockId } }) => `${kind} ${blockId}`);
}

describe("a need", () => {
  it("is an identifier that left with a block and that no live block holds", () => {
    const index = indexOf([departure("b1"), [1, 2]], [departure("b2"), [3]]);
    expect(detected(index, { identifiers: [1, 4] })).toEqual(["identifier b1"]);
    expect(detected(index, { identifiers: [1, 4] }, { isLive: () => true })).toEqual([]);
  });

  it("of one block is told once, however many of its identifiers are used", () => {
    const index = indexOf([departure("b1"), [1, 2, 3]]);
    expect(detected(index, { identifiers: [1, 2, 3] })).toEqual(["identifier b1"]);
  });

  it("is not told again of a block whose need of that kind is known", () => {
    const index = indexOf([departure("b1", { call: { id: "c1", argumentsText: "k" } }), [1]], [departure("b2"), [1]]);
    const state = initialRegret();
    noteRegret(
      state,
      { id: "b1", type: "tool_result", toolName: null },
      { kind: "identifier", turn: 1, evictedTurn: 1 },
    );
    const use = { identifiers: [1], calls: [{ id: "c2", key: "k" }] };
    expect(detected(index, use, {}, state)).toEqual(["reread b1", "identifier b2"]);
  });

  it("is not seen in what more than six departed blocks held", () => {
    const left = (blocks: number) =>
      indexOf(...Array.from({ length: blocks }, (_, at) => [departure(`b${at}`), [1]] as const));
    expect(detected(left(6), { identifiers: [1] })).toHaveLength(6);
    expect(detected(left(7), { identifiers: [1] })).toEqual([]);
  });

  it("is a call made again, of the result that left last", () => {
    const call = { id: "c1", argumentsText: "k" };
    const index = indexOf([departure("b1", { call }), []], [departure("b2", { call, turn: 2 }), []]);
    const again = { calls: [{ id: "c2", key: "k" }] };
    expect(detected(index, again)).toEqual(["reread b2"]);
    expect(detected(index, again, { isAnswered: (_key, blockId) => blockId === "b2" })).toEqual([]);
    expect(detected(index, { calls: [{ id: "c2", key: "other" }] })).toEqual([]);
  });

  it("is no call that is taken in again under the id it had", () => {
    const index = indexOf([departure("b1", { call: { id: "c1", argumentsText: "k" } }), []]);
    expect(detected(index, { calls: [{ id: "c1", key: "k" }] })).toEqual([]);
  });

  it("asks what is live only of what has left", () => {
    const index = indexOf([departure("b1"), [1]]);
    const asked: number[] = [];
    detected(index, { identifiers: [4, 1, 5] }, { isLive: (identifier) => asked.push(identifier) > 0 });
    expect(asked).toEqual([1]);
  });

  it("is told a hundred times of one message at most", () => {
    const index = indexOf(...Array.from({ length: 500 }, (_, at) => [departure(`b${at}`), [at]] as const));
    expect(detected(index, { identifiers: Array.from({ length: 500 }, (_, at) => at) })).toHaveLength(100);
  });
});
