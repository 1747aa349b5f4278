import { describe, expect, test } from "vitest";
import { contextNumber, samenessOf } from "../../src/replay/sameness.ts";

const readings = (...numbers: number[]) => numbers.map((number) => ({ number }));

describe("the number of a context", () => {
  test("is the same for the same messages in the same order", () => {
    expect(contextNumber(readings(1, 2, 3))).toBe(contextNumber(readings(1, 2, 3)));
  });

  test.each([
    ["another message", [1, 2, 4]],
    ["another order", [1, 3, 2]],
    ["one message less", [1, 2]],
    ["one message more", [1, 2, 3, 0]],
  ])("differs for %s", (_what, other) => {
    expect(contextNumber(readings(...other))).not.toBe(contextNumber(readings(1, 2, 3)));
  });
});

describe("what two policies sent", () => {
  test("is compared from the first edit of either on", () => {
    const a = { editedAt: [3], contexts: [1, 2, 3, 4, 5] };
    expect(samenessOf(a, { editedAt: [2, 3], contexts: [1, 2, 3, 9, 5] })).toEqual({ turns: 3, same: 2 });
    expect(samenessOf(a, { editedAt: [], contexts: [1, 2, 3, 4, 5] })).toEqual({ turns: 2, same: 2 });
  });

  test("is not compared where neither edits", () => {
    expect(samenessOf({ editedAt: [], contexts: [1] }, { editedAt: [], contexts: [2] })).toEqual({ turns: 0, same: 0 });
  });
});
