import { describe, expect, it } from "vitest";
import {
  departureOf,
  forgetDepartures,
  fromStored,
  initialRegret,
  isRegretted,
  meanRate,
  needFactor,
  noteDeparture,
  noteRegret,
  type RegretState,
  reneedRate,
  toStored,
} from "../../src/regret/index.ts";
import { departure } from "../support/departures.ts";

const NEEDED = { kind: "identifier", turn: 3, evictedTurn: 1 } as const;

/** Blocks of a tool that left, of which so many were needed again. */
function seen(state: RegretState, toolName: string | null, evicted: number, regretted: number): RegretState {
  for (let n = 0; n < evicted; n++) {
    const id = `${toolName} ${n}`;
    noteDeparture(state, departure(id, { toolName }), true);
    if (n < regretted) noteRegret(state, { id, type: "tool_result", toolName }, NEEDED);
  }
  return state;
}

describe("what a session knows of regret", () => {
  it("is each need by block, and the blocks by tool and type", () => {
    const state = seen(initialRegret(), "grep", 3, 1);
    noteRegret(state, { id: "grep 0", type: "tool_result", toolName: "grep" }, { ...NEEDED, kind: "recall" });
    expect(isRegretted(state, "grep 0", "recall")).toBe(true);
    expect(isRegretted(state, "grep 0", "reread")).toBe(false);
    expect(isRegretted(state, "grep 1", "identifier")).toBe(false);
    expect([...state.tally.groups.values()]).toEqual([
      { toolName: "grep", type: "tool_result", evicted: 3, regretted: 1 },
    ]);
    expect(state.tally).toMatchObject({ evicted: 3, regretted: 1 });
  });

  it("counts a block that leaves piece by piece once", () => {
    const state = initialRegret();
    noteDeparture(state, departure("b1"), true);
    noteDeparture(state, departure("b1", { turn: 2, passId: "p2" }), false);
    expect(state.tally.evicted).toBe(1);
    expect(departureOf(state, "b1")?.passId).toBe("p2");
    expect(departureOf(state, "b2")).toBeNull();
  });

  it("forgets departures after ten turns, and no need", () => {
    const state = seen(initialRegret(), "grep", 2, 1);
    noteDeparture(state, departure("b9", { turn: 2 }), true);
    forgetDepartures(state, 11);
    expect(state.departures).toHaveLength(3);
    forgetDepartures(state, 12);
    expect(state.departures.map(({ blockId }) => blockId)).toEqual(["b9"]);
    forgetDepartures(state, 13);
    expect(state.departures).toEqual([]);
    expect(isRegretted(state, "grep 0", "identifier")).toBe(true);
  });

  it("remembers a bounded number of departures a turn, and counts them all", () => {
    const state = seen(initialRegret(), "grep", 5_000, 0);
    expect(state.departures).toHaveLength(4_096);
    expect(state.tally.evicted).toBe(5_000);
    noteDeparture(state, departure("b1", { turn: 2 }), true);
    expect(state.departures).toHaveLength(4_097);
  });

  it("tells a bounded number of tools apart, whatever agents call them", () => {
    const state = initialRegret();
    for (let n = 0; n < 400; n++) seen(state, `tool-${n}`, 1, 1);
    seen(state, "__proto__", 1, 0);
    expect(state.tally.groups.size).toBe(256);
    expect(state.tally).toMatchObject({ evicted: 401, regretted: 400 });
  });

  it("comes back from JSON as it was", () => {
    const state = seen(seen(initialRegret(), "__proto__", 4, 2), null, 1, 1);
    expect(fromStored(JSON.parse(JSON.stringify(toStored(state))))).toEqual(state);
  });
});

describe("the re-need rate", () => {
  it("is a fifth before anything has left, and the factor 1", () => {
    const { tally } = initialRegret();
    expect(meanRate(tally)).toBeCloseTo(0.2);
    expect(reneedRate(tally, "grep", "tool_result")).toBeCloseTo(0.2);
    expect(needFactor(tally, "grep", "tool_result")).toBe(1);
  });

  it("of a tool nears its own share as it is seen, from the session's mean", () => {
    const few = seen(seen(initialRegret(), "grep", 2, 2), "bash", 2, 0).tally;
    const many = seen(seen(initialRegret(), "grep", 200, 100), "bash", 200, 10).tally;
    expect(reneedRate(few, "grep", "tool_result")).toBeGreaterThan(meanRate(few));
    expect(reneedRate(few, "bash", "tool_result")).toBeLessThan(meanRate(few));
    expect(reneedRate(many, "grep", "tool_result")).toBeCloseTo(0.5, 1);
    expect(reneedRate(many, "bash", "tool_result")).toBeCloseTo(0.05, 1);
    expect(meanRate(many)).toBeCloseTo(110 / 400, 2);
  });

  it("gives a factor that is near 1 for few observations and stays within a half and two", () => {
    const few = seen(seen(initialRegret(), "grep", 20, 4), "bash", 1, 1).tally;
    expect(needFactor(few, "bash", "tool_result")).toBeGreaterThan(1);
    expect(needFactor(few, "bash", "tool_result")).toBeLessThan(1.5);
    const many = seen(seen(initialRegret(), "grep", 500, 400), "bash", 5_000, 5).tally;
    expect(needFactor(many, "grep", "tool_result")).toBe(2);
    expect(needFactor(many, "bash", "tool_result")).toBe(0.5);
    expect(needFactor(many, "never seen", "tool_result")).toBe(1);
    expect(needFactor(many, null, "thinking")).toBe(1);
  });
});
