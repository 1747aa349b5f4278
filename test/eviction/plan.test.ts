import { describe, expect, it } from "vitest";
import {
  type EvictionDemand,
  type EvictionPlan,
  planEviction,
  protect,
  type Scorer,
  scorers,
} from "../../src/eviction/index.ts";
import { ContextBuilder, countCharacters } from "../support/context-builder.ts";

const demand: EvictionDemand = {
  tokensToFree: 100,
  prices: { read: 0.1, write: 1.25 },
  expectedRemainingTurns: 20,
  minTokensFreed: 0,
  forced: true,
};
const noMerge = { enabled: false, threshold: 1 };
const bare = { keepRecentUnits: 0, keepRecentTokens: Number.POSITIVE_INFINITY, keepUserTokens: 0, protectedTypes: [] };

const text = (name: string, tokens: number) =>
  `${name} `.repeat(Math.ceil((tokens * 4) / (name.length + 1))).slice(0, tokens * 4);

/** Task, then `results` answered calls of some 200 tokens, then an answer. */
function reads(results: number, tokens = 200): ContextBuilder {
  const built = new ContextBuilder();
  built.system("rules");
  built.user("the task");
  for (let i = 0; i < results; i++)
    built.nextTurn().call("read_file", { path: `src/f${i}.py` }, text(`word${i}`, tokens));
  built.nextTurn().assistant("done");
  return built;
}

/** A scorer that gives each unit the score of its id, 0.5 where none is given. */
function byUnit(scores: Readonly<Record<number, number>>, actions: Scorer["actions"] = ["drop"]): Scorer {
  return {
    name: "by_unit",
    actions,
    depth: "target",
    score(block) {
      const score = scores[block.unitId] ?? 0.5;
      return { score, parts: { given: score }, rule: "by_unit.given" };
    },
  };
}

const unitsOf = (plan: EvictionPlan) => plan.edits.map((edit) => edit.unitId);

describe("planEviction", () => {
  it("clears before it drops where scores tie, and takes the oldest first", () => {
    const built = reads(6);
    const plan = planEviction(built.context({ merge: noMerge }), scorers.type.configure({}), {
      ...demand,
      tokensToFree: 150,
    });
    expect(plan.edits.map((edit) => edit.method)).toEqual(["clear"]);
    expect(unitsOf(plan)).toEqual([3]);
    const clear = plan.edits[0]!;
    expect(clear.replacementText).toMatch(/^\[cleared result turn 1 read_file/);
    expect(clear.tokensAfter).toBe(countCharacters(clear.replacementText!) + 3);
  });

  it("names rule, score and parts of each edit", () => {
    const plan = planEviction(reads(6).context(), scorers.hybrid.configure({}), demand);
    const [edit] = plan.edits;
    expect(edit).toMatchObject({ rule: "hybrid.sum", intoBlockId: null, similarity: null });
    const sum = Object.values(edit!.scoreParts).reduce((total, part) => total + part, 0);
    expect(sum).toBeCloseTo(edit!.score, 9);
  });

  it("clears long call arguments and keeps short ones", () => {
    const built = new ContextBuilder();
    built.user("task");
    built.nextTurn().call("write_file", { path: "a.md", content: text("content", 300) }, "ok");
    built.nextTurn().call("write_file", { path: "b.md", content: "short" }, "ok");
    built.nextTurn().assistant("done");
    const scorer = byUnit({ 2: 0, 3: 0 }, ["clear", "clear_input"]);
    const plan = planEviction(built.context({}, bare), scorer, { ...demand, tokensToFree: 10_000 });
    expect(plan.edits.map(({ method, blockIds }) => [method, blockIds])).toEqual([["clear_input", ["b2"]]]);
    expect(plan.edits[0]!.replacementText).toMatch(/^\[cleared arguments turn 1 write_file "a\.md"/);
  });

  it("drops a unit whole: its thinking, its calls and all results of a parallel batch", () => {
    const built = new ContextBuilder();
    built.user("task");
    const unit = built.nextTurn().call("a", {}, text("one", 100), { thinking: "which?" });
    const extra = built.add(unit, { ...unit.blocks[2]!, tool: { callId: "x", name: "b", argumentsText: "{}" } });
    built.nextTurn().assistant("done");
    const plan = planEviction(built.context({}, bare), byUnit({}), demand);
    expect(plan.edits[0]!.blockIds).toEqual([...unit.blocks.map((block) => block.id)]);
    expect(plan.edits[0]!.blockIds).toContain(extra.id);
  });

  it("lets units with a user's words go after everything else", () => {
    const built = new ContextBuilder();
    built.user("task");
    built.nextTurn().user(text("rule", 200));
    built.nextTurn().assistant(text("talk", 200));
    built.nextTurn().user("latest");
    const scorer = byUnit({ 2: 0, 3: 1 });
    expect(unitsOf(planEviction(built.context({}, bare), scorer, demand))).toEqual([3]);
    expect(unitsOf(planEviction(built.context({}, bare), scorer, { ...demand, tokensToFree: 350 }))).toEqual([2, 3]);
  });

  it("clears beside a pin but does not drop its unit", () => {
    const built = reads(2);
    const [call, result] = built.units[2]!.blocks;
    call!.pinned = true;
    const plan = planEviction(built.context({}, bare), scorers.lru.configure({}), {
      ...demand,
      tokensToFree: 100_000,
    });
    const touched = plan.edits.filter((edit) => edit.unitId === 3);
    expect(touched.map(({ method, blockIds }) => [method, blockIds])).toEqual([["clear", [result!.id]]]);
  });

  it("returns what it can when everything together is not enough, and says how much that is", () => {
    const built = reads(3);
    const plan = planEviction(built.context({}, bare), byUnit({}), { ...demand, tokensToFree: 1_000_000 });
    expect(plan.refused).toBeNull();
    expect(plan.tokensFreed).toBe(plan.tokensFreeable);
    expect(plan.tokensFreed).toBe(built.units.slice(2).reduce((sum, unit) => sum + unit.tokens, 0));
  });

  it("leaves an already cleared result alone", () => {
    const built = reads(1);
    built.blocks.find((block) => block.type === "tool_result")!.state = "cleared";
    const plan = planEviction(built.context({}, bare), byUnit({}, ["clear"]), demand);
    expect(plan).toMatchObject({ edits: [], refused: "no_candidates", gate: null });
  });

  it("refuses a score that is no number from 0 to 1, naming scorer and block", () => {
    for (const score of [Number.NaN, -0.1, 1.1]) {
      expect(() => planEviction(reads(2).context({}, bare), byUnit({ 3: score }), demand)).toThrow(
        /by_unit scored block b/,
      );
    }
  });

  it("plans nothing for the policy none", () => {
    expect(planEviction(reads(5).context(), scorers.none.configure({}), demand).refused).toBe("no_candidates");
  });
});

describe("the position of the first edit", () => {
  it("skips an early edit that loses no less than later ones and would rewrite much more", () => {
    const built = reads(12);
    const scores = Object.fromEntries(built.units.map(({ id }) => [id, [3, 12, 13].includes(id) ? 0.3 : 0.9]));
    const plan = planEviction(built.context({}, bare), byUnit(scores), { ...demand, tokensToFree: 300 });
    expect(unitsOf(plan)).toEqual([12, 13]);
    expect(plan.gate!.tokens_rewritten).toBeLessThan(built.tokens / 4);
  });

  it("does not take the newest of many that score alike", () => {
    const built = reads(12);
    const plan = planEviction(built.context({}, bare), byUnit({}), { ...demand, tokensToFree: 300 });
    expect(Math.max(...unitsOf(plan))).toBeLessThan(10);
  });

  it("never buys cheapness with worth: the worthless goes although it stands first", () => {
    const built = reads(12);
    const scores = Object.fromEntries(built.units.map((unit) => [unit.id, unit.id <= 4 ? 0.1 : 0.6]));
    const plan = planEviction(built.context({}, bare), byUnit(scores), { ...demand, tokensToFree: 300 });
    expect(unitsOf(plan)).toEqual([3, 4]);
  });

  it("is not moved for policies that go strictly in order", () => {
    const plan = planEviction(reads(12).context({}, bare), scorers.drop_oldest.configure({}), {
      ...demand,
      tokensToFree: 300,
    });
    expect(unitsOf(plan)).toEqual([3, 4]);
  });
});

describe("depth", () => {
  it("drop_oldest frees just enough", () => {
    const built = reads(10);
    const plan = planEviction(built.context({}, bare), scorers.drop_oldest.configure({}), {
      ...demand,
      tokensToFree: 10,
    });
    expect(unitsOf(plan)).toEqual([3]);
  });

  it("sliding_window takes everything outside its n units at the first pass, and more where the demand needs it", () => {
    const built = reads(10);
    const slide = (tokensToFree: number) =>
      unitsOf(
        planEviction(built.context({}, bare), scorers.sliding_window.configure({ n: 4 }), { ...demand, tokensToFree }),
      );
    expect(slide(10)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(slide(1_700)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

describe("the gate", () => {
  const unforced = { ...demand, forced: false, tokensToFree: 300 };

  it("refuses an unforced pass that would not pay back, and shows the figures it refused by", () => {
    const plan = planEviction(reads(12).context({}, bare), scorers.fifo.configure({}), {
      ...unforced,
      expectedRemainingTurns: 1,
    });
    expect(plan).toMatchObject({ edits: [], tokensFreed: 0, refused: "break_even" });
    expect(plan.gate).toMatchObject({ decided: true });
    expect(plan.gate!.saving).toBeLessThanOrEqual(plan.gate!.cost);
    expect(plan.gate!.tokens_freed).toBeGreaterThanOrEqual(300);
  });

  it("lets one pass that pays back", () => {
    const plan = planEviction(reads(12).context({}, bare), scorers.fifo.configure({}), {
      ...unforced,
      expectedRemainingTurns: 1_000,
    });
    expect(plan.refused).toBeNull();
    expect(plan.edits.length).toBeGreaterThan(0);
  });

  it("does not hold up a forced pass", () => {
    const plan = planEviction(reads(12).context({}, bare), scorers.fifo.configure({}), {
      ...demand,
      expectedRemainingTurns: 0,
    });
    expect(plan.refused).toBeNull();
    expect(plan.gate).toMatchObject({ decided: false, saving: 0 });
  });

  it("shows a pass half as deep beside it", () => {
    const plan = planEviction(reads(12).context({}, bare), scorers.fifo.configure({}), {
      ...demand,
      tokensToFree: 1_200,
    });
    expect(plan.shallower!.tokens_freed).toBeLessThan(plan.gate!.tokens_freed);
    expect(plan.shallower!.tokens_freed).toBeGreaterThanOrEqual(600);
  });

  it("shows none beside it that would be the same: one unit holds all that is asked for", () => {
    const oneUnit = planEviction(reads(12).context({}, bare), scorers.fifo.configure({}), {
      ...demand,
      tokensToFree: 2,
    });
    expect(oneUnit.edits.length).toBeGreaterThan(0);
    expect(oneUnit.gate).not.toBeNull();
    expect(oneUnit.shallower).toBeNull();
  });

  it("shows beside a pass that cannot free what it was asked for one of half of what it frees", () => {
    const plan = planEviction(reads(12).context({}, bare), scorers.fifo.configure({}), {
      ...demand,
      tokensToFree: 1e9,
    });
    const { tokens_freed: freed } = plan.gate!;
    expect(plan.shallower!.tokens_freed).toBeLessThan(0.75 * freed);
    expect(plan.shallower!.tokens_freed).toBeGreaterThanOrEqual(0.5 * freed);
  });

  it("frees at least min_tokens_freed, or refuses an unforced pass that cannot", () => {
    const built = reads(3);
    const deeper = planEviction(built.context({}, bare), byUnit({}), {
      ...demand,
      tokensToFree: 1,
      minTokensFreed: 256,
    });
    expect(deeper.tokensFreed).toBeGreaterThanOrEqual(256);
    const little = { ...demand, forced: false, tokensToFree: 1, minTokensFreed: 100_000 };
    expect(planEviction(built.context({}, bare), byUnit({}), little).refused).toBe("min_tokens_freed");
  });

  it("has nothing to say without a demand, but ranks the candidates", () => {
    const plan = planEviction(reads(3).context({}, bare), byUnit({}), { ...demand, tokensToFree: 0 });
    expect(plan).toMatchObject({ refused: "no_demand", edits: [] });
    expect(plan.ranked).toHaveLength(4);
  });
});

describe("merging in a pass", () => {
  const page = Array.from({ length: 60 }, (_, i) => `line ${i} holds value${i * 7}`);

  function twins() {
    const built = new ContextBuilder();
    built.user("task");
    built.nextTurn().call("bash", { command: "cat a" }, [...page, "only the old one"].join("\n"));
    built.nextTurn().call("bash", { command: "cat b" }, page.join("\n"));
    built.nextTurn().assistant("done");
    return built;
  }

  it("points the older of two near duplicates to the newer and keeps what differs", () => {
    const plan = planEviction(twins().context({}, bare), byUnit({}, ["clear", "drop"]), demand);
    expect(plan.edits).toHaveLength(1);
    expect(plan.edits[0]).toMatchObject({
      method: "merge",
      blockIds: ["b3"],
      intoBlockId: "b5",
      rule: "merge.near_duplicate",
    });
    expect(plan.edits[0]!.similarity).toBeGreaterThan(0.85);
    expect(plan.edits[0]!.replacementText).toContain("\nonly the old one");
  });

  it("does not point to a block that the same pass takes away", () => {
    const plan = planEviction(twins().context({}, bare), byUnit({ 3: 0 }, ["clear", "drop"]), {
      ...demand,
      tokensToFree: 400,
    });
    expect(plan.edits.map((edit) => edit.method)).not.toContain("merge");
    expect(plan.tokensFreed).toBeGreaterThanOrEqual(400);
  });

  it("can be switched off", () => {
    const plan = planEviction(twins().context({ merge: noMerge }, bare), byUnit({}, ["clear", "drop"]), demand);
    expect(plan.edits[0]!.method).toBe("clear");
  });
});

describe("replacements that cost more than was thought", () => {
  it("are not made, and the demand is met by other edits", () => {
    const built = reads(6);
    const context = built.context({ merge: noMerge, tokensWith: (block) => block.tokens + 1 }, bare);
    const plan = planEviction(context, byUnit({}, ["clear", "drop"]), { ...demand, tokensToFree: 500 });
    expect(plan.edits.every((edit) => edit.method === "drop")).toBe(true);
    expect(plan.tokensFreed).toBeGreaterThanOrEqual(500);
  });

  it("make the pass go on until the demand is really met", () => {
    const built = reads(10);
    const context = built.context({ merge: noMerge, tokensWith: (block) => block.tokens - 10 }, bare);
    const plan = planEviction(context, byUnit({}, ["clear"]), { ...demand, tokensToFree: 85 });
    expect(plan.tokensFreed).toBe(90);
  });
});

it("protection decides, whatever the scorer says", () => {
  const built = reads(4);
  const everything = protect(built.units, { ...bare, keepRecentUnits: 100 });
  const plan = planEviction(built.context({ protection: everything }), byUnit({ 3: 0 }), demand);
  expect(plan.refused).toBe("no_candidates");
});
