import { describe, expect, test } from "vitest";
import { CostMeter, paybackOf } from "../../src/replay/cost-meter.ts";
import type { Reading } from "../../src/replay/readings.ts";

const PRICES = { read: 0.1, write: 1.25 };
const readings = new Map<string, Reading>();
/** Messages by name; each weighs its number. */
const message = (name: string): Reading => {
  const known = readings.get(name) ?? {
    number: readings.size,
    tokens: Number(/\d+/.exec(name)?.[0]),
    onLines: [],
    inText: [],
  };
  readings.set(name, known);
  return known;
};
const request = (names: string, fresh: number) => {
  const ids = names.split(" ");
  return { readings: ids.map(message), ids, edits: 0, fresh };
};

function metered(...requests: readonly ReturnType<typeof request>[]): CostMeter {
  const meter = new CostMeter();
  for (const one of requests) meter.add(one);
  return meter;
}

describe("the cost of a replay", () => {
  test("is that of prefix hits and of all else, each at its price", () => {
    const meter = metered(request("a10", 1), request("a10 b20", 1), request("a10 c5", 1));
    expect(meter.sent).toMatchObject({ tokensSent: 55, prefixHits: 20 });
    expect(meter.cost(PRICES)).toBeCloseTo(0.1 * 20 + 1.25 * 35, 12);
    expect(meter.cost({ read: 0.5, write: 1 })).toBeCloseTo(0.5 * 20 + 35, 12);
  });
});

describe("an edit that breaks the prefix", () => {
  test("is none while the context only grows", () => {
    expect(metered(request("a10", 1), request("a10 b20", 1), request("a10 b20 c5", 1)).breaks).toEqual([]);
  });

  test("frees what is no longer sent and rewrites what stands behind it, without what has just come", () => {
    const meter = metered(request("a10 b20 c30 d40", 4), request("a10 c30 d40 e50", 1));
    expect(meter.breaks).toEqual([{ turn: 1, freed: 20, rewritten: 70 }]);
  });

  test("rewrites what stands in the place of what went", () => {
    const meter = metered(request("a10 b200 c30", 3), request("a10 p5 c30 d40", 1));
    expect(meter.breaks).toEqual([{ turn: 1, freed: 195, rewritten: 35 }]);
  });

  test("pays back what it freed at each request until the next one", () => {
    const breaks = [
      { turn: 2, freed: 1000, rewritten: 400 },
      { turn: 5, freed: 500, rewritten: 100 },
    ];
    const payback = paybackOf(breaks, 9, PRICES);
    expect(payback).toMatchObject({ breaks: 2, tokensFreed: 1500, tokensRewritten: 500 });
    expect(payback.saving).toBeCloseTo(0.1 * (1000 * 3 + 500 * 4), 9);
    expect(payback.cost).toBeCloseTo(1.15 * 500, 9);
  });
});
