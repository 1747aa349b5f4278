import { describe, expect, it } from "vitest";
import { configureScorer, scorers, scoringView, signalsOf } from "../../src/eviction/index.ts";
import type { Block, BlockType } from "../../src/model/block.ts";
import { ContextBuilder, textPart } from "../support/context-builder.ts";

/** Blocks of one type, one a turn from turn 0; the view stands at the last turn. */
function aged(type: BlockType, turns: number) {
  const built = new ContextBuilder();
  for (let i = 0; i <= turns; i++) {
    built.unit({ type, part: textPart(`entry ${"abcdefghijklmnopqrstuvwxyz".repeat(2).slice(i % 26, (i % 26) + 7)}`) });
    if (i < turns) built.nextTurn();
  }
  return { blocks: built.blocks, view: scoringView(built.context()) };
}

const newest = (blocks: readonly Block[], age: number) => blocks.at(-1 - age)!;

describe("fifo", () => {
  it("halves a block's worth every half_life turns", () => {
    const { blocks, view } = aged("assistant_response", 20);
    const score = (age: number) => scorers.fifo.configure({}).score(newest(blocks, age), view).score;
    expect(score(0)).toBe(1);
    expect(score(10)).toBe(0.5);
    expect(score(20)).toBe(0.25);
    expect(scorers.fifo.configure({ half_life: 5 }).score(newest(blocks, 10), view).score).toBe(0.25);
  });
});

describe("lru", () => {
  it("keeps what is in use and lets the idle go", () => {
    const { blocks, view } = aged("assistant_response", 10);
    const lru = scorers.lru.configure({});
    const old = newest(blocks, 10);
    expect(lru.score(old, view).score).toBeCloseTo(0.6 * 0.25);
    old.lastReferencedTurn = view.turn;
    expect(lru.score(old, view)).toMatchObject({ score: 1, rule: "lru.idle" });
    old.lastReferencedTurn = view.turn - 5;
    expect(lru.score(old, view).score).toBe(0.5);
  });

  it("counts a block that nothing referenced six tenths", () => {
    const { blocks, view } = aged("assistant_response", 1);
    expect(scorers.lru.configure({}).score(newest(blocks, 0), view)).toMatchObject({
      score: 0.6,
      rule: "lru.unreferenced",
    });
  });
});

describe("priority", () => {
  it("adds recency, relevance, source, reuse and marker with their shares", () => {
    const { blocks, view } = aged("tool_result", 10);
    const block = newest(blocks, 10);
    block.referenceCount = 50;
    block.pinned = true;
    expect(scorers.priority.configure({}).score(block, view).parts).toEqual({
      recency: 0.15,
      relevance: 0,
      source: 0.2 * 0.3,
      reuse: 0.15,
      marker: 0.1,
    });
  });

  it("raises what is like the task", () => {
    const built = new ContextBuilder();
    built.assistant("the invoice rounding bug in billing");
    built.assistant("weather is fine over the sea today");
    const view = scoringView(built.context({ taskText: "Mend the rounding bug of the invoice" }));
    const [alike, other] = built.blocks.map(
      (block) => scorers.priority.configure({}).score(block, view).parts["relevance"],
    );
    expect(alike).toBeGreaterThan(0.1);
    expect(other).toBeLessThan(0.05);
  });
});

describe("type", () => {
  it.each([
    ["tool_result", 8],
    ["thinking", 2],
    ["memory_injection", 20],
    ["assistant_response", 30],
  ] as const)("lets a %s expire after %i turns", (type, ttl) => {
    const { blocks, view } = aged(type, ttl);
    const scorer = scorers.type.configure({});
    expect(scorer.score(newest(blocks, 0), view).score).toBe(1);
    expect(scorer.score(newest(blocks, ttl / 2), view).score).toBe(0.5);
    expect(scorer.score(newest(blocks, ttl), view)).toMatchObject({ score: 0, rule: "type.expired" });
  });

  it("never lets a user's message expire", () => {
    const { blocks, view } = aged("user_message", 100);
    expect(scorers.type.configure({}).score(blocks[0]!, view).score).toBe(1);
  });
});

describe("semantic_duplication and superseded", () => {
  it("score what a newer block repeats 0 and the newer one 1", () => {
    const built = new ContextBuilder();
    for (let i = 0; i < 2; i++)
      built.nextTurn().call("read_file", { path: "src/a.py" }, "def parse(text): return text.split()");
    const view = scoringView(built.context());
    const [older, newer] = built.blocks.filter((block) => block.type === "tool_result");
    for (const name of ["semantic_duplication", "superseded"] as const) {
      const scorer = scorers[name].configure({});
      expect(scorer.score(older!, view).score).toBeCloseTo(0, 9);
      expect(scorer.score(newer!, view).score).toBe(1);
    }
    expect(scorers.superseded.configure({}).score(older!, view).rule).toBe("superseded.newer_result");
  });
});

describe("hybrid", () => {
  it("takes only the proportions of its weights", () => {
    const { blocks, view } = aged("tool_result", 5);
    const weights = { recency: 2, priority: 0, type_ttl: 2, reference_freq: 0, semantic_duplication: 0 };
    const doubled = Object.fromEntries(Object.entries(weights).map(([name, value]) => [name, value * 7]));
    const block = blocks[0]!;
    const score = scorers.hybrid.configure({ weights }).score(block, view);
    expect(score.score).toBeCloseTo(0.5 * 2 ** -0.5 + 0.5 * (1 - 5 / 8), 12);
    expect(scorers.hybrid.configure({ weights: doubled }).score(block, view).score).toBeCloseTo(score.score, 12);
  });

  it("leaves a superseded block a tenth, and says so as a negative part", () => {
    const built = new ContextBuilder();
    built.nextTurn().call("read_file", { path: "src/a.py" }, "alpha beta gamma");
    built.nextTurn().call("write_file", { path: "./src/a.py", content: "x" }, "ok");
    const view = scoringView(built.context());
    const result = built.blocks[1]!;
    const plain = scorers.hybrid.configure({ superseded_share: 1 }).score(result, view).score;
    const score = scorers.hybrid.configure({}).score(result, view);
    expect(score.rule).toBe("hybrid.later_write");
    expect(score.score).toBeCloseTo(plain / 10, 12);
    expect(score.parts["superseded"]).toBeCloseTo(-0.9 * plain, 12);
  });

  it("refuses weights that are all 0", () => {
    const weights = { recency: 0, priority: 0, type_ttl: 0, reference_freq: 0, semantic_duplication: 0 };
    expect(() => scorers.hybrid.configure({ weights })).toThrow(/at least one weight/);
  });
});

describe("regret", () => {
  it("gives back of what age takes the share that is needed again", () => {
    const { blocks } = aged("assistant_response", 20);
    const rates: Record<string, number> = { assistant_response: 0.5 };
    const built = new ContextBuilder();
    const context = built.context({ turn: 20, reneedRate: (_tool, type) => rates[type] ?? 0 });
    const regret = scorers.regret.configure({});
    const score = (age: number) => regret.score(newest(blocks, age), scoringView(context));
    expect(score(0)).toEqual({ score: 1, parts: { recency: 1, reneed: 0 }, rule: "regret.age" });
    expect(score(10)).toEqual({ score: 0.75, parts: { recency: 0.5, reneed: 0.25 }, rule: "regret.age" });
    expect(score(20)).toMatchObject({ score: 0.625, rule: "regret.reneed" });
    rates["assistant_response"] = 0;
    expect(score(20).score).toBe(0.25);
  });

  it("asks for the rate of the block's tool and type", () => {
    const built = new ContextBuilder();
    built.call("grep", { pattern: "x" }, "1 match");
    const asked: unknown[] = [];
    const reneedRate = (...kind: unknown[]) => asked.push(kind) && 0;
    for (const block of built.blocks)
      scorers.regret.configure({}).score(block, scoringView(built.context({ reneedRate })));
    expect(asked).toContainEqual(["grep", "tool_result"]);
  });
});

describe("sliding_window and drop_oldest", () => {
  it("put 0 on what stands before the newest n units", () => {
    const { blocks, view } = aged("assistant_response", 9);
    const scorer = scorers.sliding_window.configure({ n: 4 });
    expect(blocks.map((block) => scorer.score(block, view).score)).toEqual([0, 0, 0, 0, 0, 0, 0.25, 0.5, 0.75, 1]);
  });

  it("rank units by place alone", () => {
    const { blocks, view } = aged("assistant_response", 4);
    const scorer = scorers.drop_oldest.configure({});
    expect(blocks.map((block) => scorer.score(block, view).score)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });
});

describe("configureScorer", () => {
  it("gives shared settings only to the policies that have them", () => {
    const type_ttl = { tool_result: 4, thinking: 2, memory_injection: 20, assistant_response: 30 };
    const { blocks, view } = aged("tool_result", 2);
    expect(configureScorer({ policy: "type", type_ttl }).score(blocks[0]!, view).score).toBe(0.5);
    expect(configureScorer({ policy: "fifo", type_ttl, options: { half_life: 2 } }).score(blocks[0]!, view).score).toBe(
      0.5,
    );
  });

  it("names the legal policies when it knows none of that name", () => {
    expect(() => configureScorer({ policy: "lifo" })).toThrow(/choose one of hybrid, fifo/);
    expect(() => configureScorer({ policy: "toString" })).toThrow(/choose one of/);
  });
});

describe("a policy that weighs its signals", () => {
  it("has parts that are its signals, 0 to 1, times shares that are 1 together", () => {
    const { blocks, view } = aged("tool_result", 12);
    const weighing = Object.entries(scorers).flatMap(([name, scorer]) => {
      const { weights, score } = scorer.configure({});
      if (weights === undefined) return [];
      expect(Object.values(weights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1);
      for (const block of blocks) {
        const told = score(block, view);
        const signals = signalsOf({ weights }, told.parts).filter(({ weight }) => weight !== null);
        expect(signals.map((signal) => signal.name).sort(), name).toEqual(Object.keys(weights).sort());
        for (const { value } of signals) expect(value).toBeGreaterThanOrEqual(0);
        for (const { value } of signals) expect(value).toBeLessThanOrEqual(1 + 1e-9);
        const sum = signals.reduce((all, { value, weight }) => all + (value ?? 0) * (weight ?? 0), 0);
        expect(sum, name).toBeCloseTo(told.score);
      }
      return [name];
    });
    expect(Object.keys(scorers).filter((name) => !weighing.includes(name))).toEqual(["regret", "none"]);
  });
});
