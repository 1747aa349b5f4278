import { describe, expect, it } from "vitest";

/** The screen's pure modules are plain JavaScript for browsers: they have no types. */
const of = (name: string) => import(new URL(`../../src/ui/static/screens/decision/${name}`, import.meta.url).href);
const { linesOf, marksToShow, stretchesOf } = await of("text-stretches.js");
const { rowsOf, takenBlocks } = await of("taken-blocks.js");
const { paybackScale } = await of("payback-scale.js");

interface Stretch {
  from: number;
  to: number;
  isShown: boolean;
}

const edit = (block_id: string, over: object = {}) => ({
  ...{ block_id, type: "tool_result", method: "clear", rule: "fifo.age", policy: "fifo", score: 0.5, signals: [] },
  ...{ tokens_before: 100, tokens_after: 10, regret: [] },
  ...over,
});

describe("the original of a decision", () => {
  it("numbers lines by line feeds alone, and a last one opens none", () => {
    expect(linesOf("a\r\nb\rc\u2028d\n")).toEqual(["a\r", "b\rc\u2028d"]);
    expect(linesOf("")).toEqual([""]);
    expect(linesOf("\n\n")).toEqual(["", ""]);
  });

  it.each([
    [1, []],
    [12, [12]],
    [400, [1, 9, 18, 200, 399]],
    [100_000, [50_000]],
  ])("covers all of %i lines once, in order, and shows what is marked", (count, marked) => {
    const stretches: Stretch[] = stretchesOf(count, new Set(marked));
    let next = 1;
    for (const { from, to } of stretches) {
      expect(from).toBe(next);
      expect(to).toBeGreaterThanOrEqual(from);
      next = to + 1;
    }
    expect(next).toBe(count + 1);
    const shown = stretches.filter(({ isShown }) => isShown);
    for (const line of marked) expect(shown.some(({ from, to }) => from <= line && line <= to)).toBe(true);
    expect(shown.reduce((sum, { from, to }) => sum + to - from + 1, 0)).toBeLessThan(100);
  });

  it("leaves out marks beyond the line after the last", () => {
    expect(stretchesOf(3, new Set([0, 4]))).toEqual([{ from: 1, to: 3, isShown: true }]);
  });

  it("shows of many kept lines those that are nearest to what was needed", () => {
    const kept = Array.from({ length: 5_000 }, (_, i) => i + 1);
    const marks: Set<number> = marksToShow(new Set(kept), [4_000]);
    expect(marks.size).toBeLessThanOrEqual(151);
    expect(Math.min(...marks)).toBeGreaterThan(3_900);
    expect(marks.has(4_000)).toBe(true);
  });
});

describe("the list of what went", () => {
  it("tells a block that was edited twice once, with the size it began with and its last edit", () => {
    const twice = [
      edit("b1", { method: "summarize", score: null, tokens_after: 40 }),
      edit("b1", { tokens_before: 40, tokens_after: 5 }),
    ];
    expect(takenBlocks({ taken: twice })).toMatchObject([
      { block_id: "b1", method: "clear", tokens_before: 100, tokens_after: 5, score: 0.5 },
    ]);
  });

  it("begins with what was needed again, then the largest", () => {
    const taken = [
      edit("small", { tokens_before: 10 }),
      edit("large", { tokens_before: 900 }),
      edit("missed", { tokens_before: 1, regret: [{ kind: "recall", turn: 4 }] }),
    ];
    const order = takenBlocks({ taken }).map(({ block_id }: { block_id: string }) => block_id);
    expect(order).toEqual(["missed", "large", "small"]);
  });

  it("tells thinking as a group, but for what was needed again, and folds what is beyond thirty rows", () => {
    const thinking = Array.from({ length: 8 }, (_, i) => edit(`t${i}`, { type: "thinking" }));
    const missed = edit("t9", { type: "thinking", regret: [{ kind: "identifier", turn: 4 }] });
    const results = Array.from({ length: 50 }, (_, i) => edit(`r${i}`));
    const rows = rowsOf(takenBlocks({ taken: [...thinking, missed, ...results] }));
    expect(rows[0].block.block_id).toBe("t9");
    const groups = rows.filter(({ blocks }: { blocks?: unknown }) => blocks !== undefined);
    expect(groups.map(({ blocks }: { blocks: unknown[] }) => blocks.length)).toEqual([8, 21]);
    expect(rows.length).toBe(32);
  });
});

describe("the payback's chart", () => {
  it("has zero and all balances within its height, and turns within its width", () => {
    const points = [
      { turn: 84, forecast: -43_676, measured: -43_676 },
      { turn: 100, forecast: 22_000, measured: null },
    ];
    const margin = { left: 50, right: 10, top: 10, bottom: 20 };
    const { x, y, ticks, turnTicks } = paybackScale(points, { width: 600, height: 200, margin });
    expect([x(84), x(100)]).toEqual([50, 590]);
    for (const value of [0, -43_676, 22_000, ...ticks]) {
      expect(y(value)).toBeGreaterThanOrEqual(10);
      expect(y(value)).toBeLessThanOrEqual(180);
    }
    expect(ticks).toContain(0);
    expect(turnTicks[0]).toBe(84);
    expect(turnTicks.length).toBeLessThan(10);
  });

  it("stands for a single point and for balances that are all the same", () => {
    const margin = { left: 50, right: 10, top: 10, bottom: 20 };
    const { x, y } = paybackScale([{ turn: 3, forecast: 0, measured: null }], { width: 300, height: 100, margin });
    expect([x(3), y(0)].every(Number.isFinite)).toBe(true);
  });
});
