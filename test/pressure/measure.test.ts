import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Measurement,
  measureTurn,
  measureWithin,
  type PressureInput,
  remeasure,
} from "../../src/pressure/measure.ts";
import { foldPressure, initialPressure, type Moment, type PressureState } from "../../src/pressure/state.ts";

const settings = {
  addedTokens: null,
  maxTokens: 128_000,
  thresholds: { yellow: 0.5, orange: 0.75, red: 0.9 },
  hysteresis: 0.02,
  velocityWindow: 5,
  spikeFactor: 3,
  forecastTurns: 2,
  source: "estimated",
  windowGuessed: false,
} as const;

function at(state: PressureState, moment: Moment, tokens: number, more: Partial<PressureInput> = {}): Measurement {
  const measure = { turn: measureTurn, within: measureWithin, edit: remeasure }[moment];
  return measure(state, { ...settings, tokens, ...more });
}

/** Measures turn starts at these totals, nothing freed between. */
function turns(totals: readonly number[], more: Partial<PressureInput> = {}): Measurement[] {
  let state = initialPressure();
  return totals.map((tokens) => {
    const measurement = at(state, "turn", tokens, more);
    state = measurement.state;
    return measurement;
  });
}

function last(totals: readonly number[]): PressureState {
  return turns(totals).at(-1)?.state ?? initialPressure();
}

describe("the published series in a window of 128,000 tokens", () => {
  const totals = [5_000, 8_000, 12_000, 18_000, 28_000, 45_000, 68_000, 90_000, 105_000, 118_000];
  const measurements = turns(totals);

  it("passes green, yellow, orange and red", () => {
    expect(measurements.map((each) => each.reading.zone)).toEqual([
      ...Array(6).fill("green"),
      "yellow",
      "yellow",
      "orange",
      "red",
    ]);
    expect(measurements.flatMap((each) => each.zoneChange ?? [])).toEqual([
      { from: "green", to: "yellow" },
      { from: "yellow", to: "orange" },
      { from: "orange", to: "red" },
    ]);
  });

  it("has the velocity of the mean of five growths, from the second reading on", () => {
    const velocities = measurements.map((each) => each.reading.velocity_tokens_per_turn);
    expect(velocities).toEqual([null, 3_000, 3_500, 13_000 / 3, 5_750, 8_000, 12_000, 15_600, 17_400, 18_000]);
  });

  it("has the turns until red that are left at that velocity", () => {
    const expected = [null, 35.7333, 29.4857, 22.4308, 15.1652, 8.775, 3.9333, 1.6154, 0.5862, 0];
    for (const [index, { reading }] of measurements.entries()) {
      const value = expected[index] ?? null;
      if (value === null) expect(reading.turns_until_red).toBeNull();
      else expect(reading.turns_until_red).toBeCloseTo(value, 4);
    }
  });

  it("has fewer turns until red at the growth of a bad turn", () => {
    // Growths 3, 4, 6, 10, 17, 23 thousand: the 90th percentile by nearest rank of six values is the greatest.
    expect(measurements[6]?.reading.turns_until_red_p90).toBeCloseTo(47_200 / 23_000, 6);
  });

  it("is forecast to act as orange one turn before it is orange", () => {
    expect(measurements.map((each) => each.forecastOrange)).toEqual([...Array(7).fill(false), true, true, true]);
    expect(measurements[7]?.reading.zone).toBe("yellow");
  });

  it("has no spike, since it grows faster little by little", () => {
    expect(measurements.every((each) => each.spike === null)).toBe(true);
  });
});

describe("growth", () => {
  it("is what was added, so that an eviction does not make the velocity negative", () => {
    let state = last([50_000, 60_000, 70_000]);
    state = at(state, "edit", 30_000).state;
    const { reading, growthTokens } = at(state, "turn", 40_000);
    expect(growthTokens).toBe(10_000);
    expect(reading.velocity_tokens_per_turn).toBe(10_000);
  });

  it("is taken from the caller where it knows what was added", () => {
    const { reading } = at(last([50_000]), "turn", 20_000, { addedTokens: 8_000 });
    expect(reading.velocity_tokens_per_turn).toBe(8_000);
  });

  it("is never negative: a history that shrank by itself added nothing", () => {
    const { reading } = at(last([50_000]), "turn", 20_000);
    expect(reading.velocity_tokens_per_turn).toBe(0);
    expect(reading.turns_until_red).toBeNull();
    expect(reading.turns_until_red_p90).toBeNull();
  });

  it("of the first reading is not counted, whatever the caller says", () => {
    const { reading, growthTokens, state } = at(initialPressure(), "turn", 20_000, { addedTokens: 20_000 });
    expect(growthTokens).toBe(0);
    expect(reading.velocity_tokens_per_turn).toBeNull();
    expect(state.growths).toEqual([]);
  });

  it("survives an edit in the middle of a turn", () => {
    let state = last([50_000]);
    state = at(state, "within", 58_000).state;
    state = at(state, "edit", 30_000).state;
    expect(at(state, "turn", 33_000).growthTokens).toBe(11_000);
  });
});

describe("a measurement within a turn", () => {
  it("counts the growth so far when it raises the velocity", () => {
    const { reading } = at(last([10_000, 11_000]), "within", 20_000);
    expect(reading.velocity_tokens_per_turn).toBe(5_000);
  });

  it("does not lower the velocity while the turn has only begun", () => {
    const { reading } = at(last([10_000, 14_000]), "within", 14_100);
    expect(reading.velocity_tokens_per_turn).toBe(4_000);
  });

  it("is not kept: the turn counts once, when it is over", () => {
    let state = last([10_000, 11_000]);
    state = at(state, "within", 15_000).state;
    state = at(state, "within", 17_000).state;
    state = at(state, "turn", 18_000).state;
    expect(state.growths).toEqual([1_000, 7_000]);
  });

  it("moves the zone upward at once", () => {
    expect(at(last([10_000, 60_000]), "within", 97_000).zoneChange).toEqual({ from: "green", to: "orange" });
  });
});

describe("a spike", () => {
  it("is growth above three times the baseline before it", () => {
    const state = last([10_000, 11_000]);
    expect(at(state, "turn", 14_000).spike).toBeNull();
    expect(at(state, "turn", 14_001).spike).toEqual({ growth: 3_001, baseline: 1_000 });
  });

  it("enters the baseline only after the comparison, with a weight of 0.3", () => {
    const { state } = at(last([10_000, 11_000]), "turn", 21_000);
    expect(state.baseline).toBeCloseTo(0.3 * 10_000 + 0.7 * 1_000, 9);
  });

  it("is seen within the turn, and told once", () => {
    let state = last([10_000, 11_000]);
    const early = at(state, "within", 13_000);
    const seen = at(early.state, "within", 16_000);
    const again = at(seen.state, "within", 17_000);
    expect([early.spike, seen.spike, again.spike]).toEqual([null, { growth: 5_000, baseline: 1_000 }, null]);
    const closed = at(again.state, "turn", 17_500);
    expect(closed.spike).toBeNull();
    state = closed.state;
    expect(at(state, "turn", 17_500 + 30_000).spike).not.toBeNull();
  });

  it("needs a baseline: growth after turns of none is no spike", () => {
    expect(at(last([10_000, 10_000, 10_000]), "turn", 12_000).spike).toBeNull();
  });
});

describe("the state", () => {
  const moments = fc.constantFrom<Moment>("turn", "within", "edit");
  const steps = fc.array(
    fc.record({
      moment: moments,
      tokens: fc.integer({ min: 0, max: 200_000 }),
      addedTokens: fc.option(fc.integer({ min: 0, max: 50_000 })),
    }),
    { maxLength: 60 },
  );

  it("is plain data that survives JSON and follows from the events alone", () => {
    fc.assert(
      fc.property(steps, (list) => {
        let state = initialPressure();
        let folded = initialPressure();
        for (const { moment, tokens, addedTokens } of list) {
          const measurement = at(state, moment, tokens, { addedTokens });
          state = JSON.parse(JSON.stringify(measurement.state));
          const { reading, growthTokens } = measurement;
          folded = foldPressure(folded, { moment, growth_tokens: growthTokens, ...reading });
          expect(state).toEqual(measurement.state);
          expect(folded).toEqual(state);
          expect(state.growths.length).toBeLessThanOrEqual(20);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("gives readings whose forecasts are never negative and whose bad-turn forecast is finite", () => {
    fc.assert(
      fc.property(steps, (list) => {
        let state = initialPressure();
        for (const step of list) {
          const { reading, ...measurement } = at(state, step.moment, step.tokens, { addedTokens: step.addedTokens });
          state = measurement.state;
          for (const value of [reading.turns_until_red, reading.turns_until_red_p90]) {
            if (value === null) continue;
            expect(Number.isFinite(value)).toBe(true);
            expect(value).toBeGreaterThanOrEqual(0);
          }
          expect(reading.velocity_tokens_per_turn ?? 0).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 300 },
    );
  });
});
