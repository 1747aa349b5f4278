import { describe, expect, it } from "vitest";
import { findCandidates } from "../../src/eviction/candidates.ts";
import { protect, type Scorer, scoringView } from "../../src/eviction/index.ts";
import { Selector } from "../../src/eviction/selection.ts";
import { ContextBuilder } from "../support/context-builder.ts";

/** Two answered calls of 20 + 400 tokens each; a call's blocks score `call`, its result `result`. */
function selector(call: number, result: number) {
  const built = new ContextBuilder();
  for (let i = 0; i < 2; i++) {
    const unit = built.nextTurn().call("bash", { command: "ls" }, "listing", {});
    unit.blocks[0] = { ...unit.blocks[0]!, tokens: 20 };
    unit.blocks[1] = { ...unit.blocks[1]!, tokens: 400 };
  }
  const context = built.context(
    {},
    { keepRecentUnits: 0, keepRecentTokens: Number.POSITIVE_INFINITY, keepUserTokens: 0, protectedTypes: [] },
  );
  const scorer: Scorer = {
    name: "by_kind",
    actions: ["clear", "drop"],
    depth: "target",
    score: (block) => ({ score: block.type === "tool_result" ? result : call, parts: {}, rule: "by_kind.given" }),
  };
  const merge = { enabled: false, threshold: 1 };
  // Nothing is protected: the last call counts as answered here.
  const protection = {
    ...protect([], {
      keepRecentUnits: 0,
      keepRecentTokens: Number.POSITIVE_INFINITY,
      keepUserTokens: 0,
      protectedTypes: [],
    }),
  };
  const candidates = findCandidates({ units: built.units, protection, merge, view: scoringView(context) }, scorer);
  return new Selector(candidates);
}

const all = { tokensToFree: Number.POSITIVE_INFINITY, exhaustsZero: false };

describe("Selector", () => {
  it("counts a unit once when its result is cleared first and the unit dropped then", () => {
    const { chosen, tokensFreed } = selector(1, 0).choose(all);
    expect(tokensFreed).toBe(2 * 420);
    expect(chosen.map((candidate) => candidate.method)).toEqual(["drop", "drop"]);
  });

  it("counts a unit once when it is dropped before its result's turn to be cleared comes", () => {
    const { chosen, tokensFreed } = selector(0, 1).choose(all);
    expect(tokensFreed).toBe(2 * 420);
    expect(chosen.map((candidate) => candidate.method)).toEqual(["drop", "drop"]);
  });

  it("goes on with others when a candidate is banned", () => {
    const chooses = selector(1, 0);
    const limits = { tokensToFree: 100, exhaustsZero: false };
    const [first] = chooses.choose(limits).chosen;
    chooses.ban(first!);
    const [second] = chooses.choose(limits).chosen;
    expect([first!.unit.id, second!.unit.id]).toEqual([1, 2]);
  });

  it("takes only what stands at the position or behind", () => {
    const chooses = selector(1, 0);
    expect(chooses.choose(all, 420).chosen.map((candidate) => candidate.unit.id)).toEqual([2]);
  });
});
