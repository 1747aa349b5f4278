import { describe, expect, it } from "vitest";
import { scorers } from "../../../src/eviction/index.ts";
import { lineNumberOf } from "../../../src/manager/explain/line-number.ts";
import { scoringOf, weighedBy } from "../../../src/manager/explain/signals.ts";

const even = scorers.hybrid.configure({
  weights: { recency: 1, priority: 1, type_ttl: 0, reference_freq: 0, semantic_duplication: 0 },
});
const of = (weights: Record<string, number>) => ({ policy: "hybrid", weights });

describe("how a pass scored", () => {
  it("is what it recorded, whatever is in force now", () => {
    expect(scoringOf({ scoring: of({ recency: 1 }) }, even)).toEqual(of({ recency: 1 }));
    expect(scoringOf({ scoring: null }, even)).toBeNull();
  });

  it("is of an earlier version's pass what is in force now", () => {
    expect(scoringOf({}, even)).toMatchObject(of({ recency: 0.5, priority: 0.5, type_ttl: 0 }));
    expect(scoringOf({}, scorers.regret.configure({}))).toBeNull();
  });
});

describe("the signals of a score", () => {
  it("are told with the weights of the policy that gave it", () => {
    expect(
      weighedBy(of({ recency: 0.4, priority: 0 }), "hybrid", { recency: 0.2, priority: 0, superseded: -0.1 }),
    ).toEqual([
      { name: "recency", value: 0.5, weight: 0.4, part: 0.2 },
      { name: "priority", value: null, weight: 0, part: 0 },
      { name: "superseded", value: null, weight: null, part: -0.1 },
    ]);
  });

  it("have no weights where another policy gave the score, or one that weighs nothing", () => {
    const unknown = { value: null, weight: null };
    expect(weighedBy(of({ recency: 1 }), "fifo", { recency: 0.2 })).toMatchObject([unknown]);
    expect(weighedBy(null, "regret", { recency: 0.2 })).toMatchObject([unknown]);
  });
});

describe("the line of an identifier", () => {
  it("is the first that holds it by itself, else within a word", () => {
    const text = "const my_budget_ms = 1;\nuse(budget_ms);\nend";
    expect(lineNumberOf(text, "budget_ms")).toBe(2);
    expect(lineNumberOf(text, "my_budget")).toBe(1);
    expect(lineNumberOf(text, "nowhere")).toBeNull();
  });
});
