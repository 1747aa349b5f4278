import { describe, expect, it } from "vitest";

// The page's modules are plain JavaScript for the browser; these have no need of one.
const load = (name: string) => import(new URL(`../../src/ui/static/screens/session/${name}`, import.meta.url).href);
const { Trend, withNow, columnsOf } = await load("read/trend.js");
const { MapRows } = await load("map/places.js");

const point = (turn: number, moment: string, tokens: number): object => ({
  ...{ turn, moment, tokens, zone: "green", window_number: 1, components: {} },
});

interface Turn {
  tokens: number;
  growth: number;
  edited: number | null;
}
const trendOf = (...points: object[]): InstanceType<typeof Trend> => {
  const trend = new Trend();
  trend.seed({ points });
  return trend;
};

describe("the figures of a turn", () => {
  it("tell an edit by what it took, however the turn went on, and add up", () => {
    const { turns } = trendOf(point(6, "turn", 9_000), point(7, "turn", 10_572), point(7, "edit", 6_311));
    const now = { turn: 7, tokens: 6_672, zone: "green", component_tokens: {} };
    const [before, last] = withNow(turns, now) as [Turn, Turn];
    expect(last).toMatchObject({ tokens: 6_672, edited: 6_311 - 10_572, growth: 1_572 + 361 });
    expect(before.tokens + last.growth + (last.edited ?? 0)).toBe(last.tokens);
  });

  it("add up over several edits in one turn, and where content came back", () => {
    const points = [point(1, "turn", 4_000), point(2, "turn", 9_000), point(2, "edit", 6_000), point(2, "edit", 6_500)];
    const [before, last] = trendOf(...points).turns as [Turn, Turn];
    expect(last).toMatchObject({ edited: -2_500, growth: 5_000 });
    expect(before.tokens + last.growth + (last.edited ?? 0)).toBe(last.tokens);
  });

  it("tell no edit of a turn that had none, and keep the deepest in a column of many turns", () => {
    const { turns } = trendOf(point(1, "turn", 10), point(2, "turn", 90), point(2, "edit", 40), point(3, "turn", 95));
    expect(turns.map(({ edited }: Turn) => edited)).toEqual([null, -50, null]);
    expect(columnsOf(turns, 1)).toMatchObject([{ from: 1, to: 3, edited: -50, before: 90 }]);
  });
});

describe("the rows of the map", () => {
  const wide = (label: string): number => label.length * 6.5;
  const rowsOf = (max: number) => new MapRows({ width: 800, height: 278, max, used: 0, rows: 8, widthOf: wide });

  it.each([131_072, 260_000, 1_048_576, 1_999_000])("leave room for the whole label of a window of %i", (max) => {
    const rows = rowsOf(max);
    for (const label of rows.labels) expect(rows.left - MapRows.BESIDE - wide(label)).toBeGreaterThanOrEqual(0);
    expect(rows.left + rows.width).toBe(799);
  });

  it("are named by where they begin", () => {
    expect(rowsOf(131_072).labels).toEqual(["0", "16.4k", "32.8k", "49.2k", "65.5k", "81.9k", "98.3k", "114.7k"]);
  });
});
