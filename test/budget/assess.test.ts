import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assessBudget, type BudgetInput } from "../../src/budget/assess.ts";
import { initialBurn, noteTurn } from "../../src/budget/burn.ts";
import { budgetStates, crossings } from "../../src/budget/crossings.ts";
import { enforce } from "../../src/budget/enforcement.ts";
import { budgetLimits } from "../../src/budget/limits.ts";
import { COMPONENTS } from "../../src/model/block.ts";

const limits = budgetLimits(
  100_000,
  {
    system_prompt: 0.06,
    tool_definitions: 0.04,
    message_history: 0.65,
    tool_results: 0.12,
    memory_injection: 0.08,
    output_reserved: 0.05,
  },
  0.8,
  5_000,
);

function assess(used: BudgetInput["used"], more: Partial<BudgetInput> = {}) {
  return assessBudget({ used, contextTokens: 50_000, maxTokens: 100_000, limits, burn: initialBurn(), ...more });
}

/** Burn of a session whose tool results grew by these amounts. */
function burnOf(...growths: number[]) {
  let used = 0;
  let state = noteTurn(initialBurn(), { tool_results: 0 });
  for (const growth of growths) {
    used += growth;
    state = noteTurn(state, { tool_results: used });
  }
  return state;
}

describe("a component against its budget", () => {
  it("is over a limit when it exceeds it, not when it reaches it", () => {
    expect(assess({ tool_results: 9_600 }).tool_results.state).toBe("ok");
    expect(assess({ tool_results: 9_601 }).tool_results.state).toBe("soft");
    expect(assess({ tool_results: 12_000 }).tool_results.state).toBe("soft");
    expect(assess({ tool_results: 12_001 }).tool_results.state).toBe("hard");
  });

  it("counts what is about to be added", () => {
    const checked = assess({ tool_results: 9_000 }, { incoming: { tool_results: 4_000 } }).tool_results;
    expect(checked).toMatchObject({ used_tokens: 9_000, projected_tokens: 13_000, state: "hard", ratio: 0.75 });
  });

  it("tells the burn in the same tokens as what is used", () => {
    const told = assess({ tool_results: 6_000 }, { burn: burnOf(2_000, 4_000), scale: 2 }).tool_results;
    expect(told).toMatchObject({ burn_rate: 6_000, turns_remaining: 1 });
  });

  it("tells the turns that remain at its burn rate, and how urgent that is", () => {
    const critical = assess({ tool_results: 6_000 }, { burn: burnOf(2_000, 4_000) }).tool_results;
    expect(critical).toMatchObject({ burn_rate: 3_000, turns_remaining: 2, urgency: "critical" });
    expect(assess({ tool_results: 3_000 }, { burn: burnOf(3_000) }).tool_results.urgency).toBe("warning");
    expect(assess({ tool_results: 2_000 }, { burn: burnOf(1_000) }).tool_results).toMatchObject({
      turns_remaining: 10,
      urgency: "none",
    });
  });

  it("has no turns that remain while nothing is added", () => {
    expect(assess({ tool_results: 20_000 }).tool_results).toMatchObject({ turns_remaining: null, urgency: "none" });
    expect(assess({ tool_results: 20_000 }, { burn: burnOf(0, 0) }).tool_results.turns_remaining).toBeNull();
  });

  it("that was given no budget is over it with the first token", () => {
    const none = { ...limits, memory_injection: { share: 0, soft: 0, hard: 0 } };
    expect(assess({}, { limits: none }).memory_injection).toMatchObject({ state: "ok", ratio: 0 });
    expect(assess({ memory_injection: 1 }, { limits: none }).memory_injection).toMatchObject({
      state: "hard",
      ratio: 1,
    });
  });
});

describe("the output reserve", () => {
  it("is free up to its last token and over with the first one taken", () => {
    expect(assess({}, { contextTokens: 95_000 }).output_reserved).toMatchObject({ used_tokens: 0, state: "ok" });
    expect(assess({}, { contextTokens: 95_001 }).output_reserved).toMatchObject({ used_tokens: 1, state: "hard" });
    expect(assess({}, { contextTokens: 200_000 }).output_reserved.used_tokens).toBe(5_000);
  });

  it("is taken by what is about to be added to any component", () => {
    const checked = assess({}, { contextTokens: 94_000, incoming: { tool_results: 2_000 } }).output_reserved;
    expect(checked).toMatchObject({ used_tokens: 0, projected_tokens: 1_000, state: "hard" });
  });
});

describe("burn rates", () => {
  it("are the mean of the last 20 turns", () => {
    const burn = burnOf(...Array(20).fill(100), ...Array(10).fill(400));
    expect(assess({}, { burn }).tool_results.burn_rate).toBe(250);
  });

  it("count what was added, so that an eviction does not make them negative", () => {
    let burn = noteTurn(initialBurn(), { tool_results: 10_000 });
    burn = noteTurn(burn, { tool_results: 4_000 }, { tool_results: 8_000 });
    expect(assess({}, { burn }).tool_results.burn_rate).toBe(2_000);
    expect(assess({}, { burn: noteTurn(burn, { tool_results: 0 }) }).tool_results.burn_rate).toBe(1_000);
  });

  it("are plain data that survives JSON", () => {
    const burn = burnOf(1, 2, 3);
    expect(JSON.parse(JSON.stringify(burn))).toEqual(burn);
  });
});

describe("crossings", () => {
  it("tell a limit once, until the component was below it again", () => {
    const soft = assess({ tool_results: 10_000 });
    expect(crossings({}, soft)).toEqual([
      {
        type: "budget.soft_exceeded",
        data: { component: "tool_results", used_tokens: 10_000, limit_tokens: 9_600 },
      },
    ]);
    expect(crossings(budgetStates(soft), assess({ tool_results: 11_000 }))).toEqual([]);
    const ok = assess({ tool_results: 1_000 });
    expect(crossings(budgetStates(soft), ok)).toEqual([]);
    expect(crossings(budgetStates(ok), soft)).toHaveLength(1);
  });

  it("tell both limits of a jump over both, and the hard one alone after the soft one", () => {
    const hard = assess({ tool_results: 13_000 });
    expect(crossings({}, hard).map((each) => each.type)).toEqual(["budget.soft_exceeded", "budget.hard_exceeded"]);
    expect(crossings({ tool_results: "soft" }, hard).map((each) => each.type)).toEqual(["budget.hard_exceeded"]);
  });

  it("tell a taken output reserve as the hard limit it is", () => {
    const taken = assess({}, { contextTokens: 96_000 });
    expect(crossings({}, taken).map((each) => each.type)).toEqual(["budget.hard_exceeded"]);
  });

  it("tell, over any course, one soft crossing more at most than returns below it", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 50 }), (course) => {
        let states = {};
        let told = 0;
        let expected = 0;
        let above = false;
        for (const tokens of course) {
          const budget = assess({ tool_results: tokens });
          told += crossings(states, budget).filter((each) => each.type === "budget.soft_exceeded").length;
          states = budgetStates(budget);
          if (tokens > 9_600 && !above) expected += 1;
          above = tokens > 9_600;
        }
        expect(told).toBe(expected);
      }),
    );
  });
});

describe("enforcement", () => {
  const everythingOver = assess(
    {
      system_prompt: 6_001,
      tool_definitions: 4_010,
      message_history: 65_100,
      tool_results: 13_000,
      memory_injection: 8_002,
    },
    { contextTokens: 96_000 },
  );
  const tools = [
    { tool: "grep", definition_tokens: 10 },
    { tool: "browser", definition_tokens: 3_000 },
    { tool: "ghost", definition_tokens: 0 },
    { tool: "bash", definition_tokens: 1_000 },
  ];

  it("demands nothing when it is global", () => {
    expect(enforce("global", everythingOver, tools)).toEqual([]);
  });

  it("demands of each component over its hard limit what fits it when it is strict", () => {
    expect(enforce("strict", everythingOver, tools)).toEqual([
      { component: "system_prompt", decision: "refuse", over_tokens: 1 },
      {
        component: "tool_definitions",
        decision: "advise",
        over_tokens: 10,
        biggest: [
          { tool: "browser", tokens: 3_000 },
          { tool: "bash", tokens: 1_000 },
          { tool: "grep", tokens: 10 },
        ],
      },
      { component: "message_history", decision: "cascade", over_tokens: 100 },
      { component: "tool_results", decision: "summarise_then_evict", over_tokens: 1_000 },
      { component: "memory_injection", decision: "evict_memory", over_tokens: 2 },
      { component: "output_reserved", decision: "emergency", over_tokens: 1_000 },
    ]);
  });

  it("demands nothing of components that are only over their soft limit", () => {
    expect(enforce("strict", assess({ tool_results: 11_000 }), tools)).toEqual([]);
  });

  it("demands exactly the components whose projection is over the hard limit", () => {
    const used = fc.record(Object.fromEntries(COMPONENTS.map((each) => [each, fc.nat(100_000)])));
    fc.assert(
      fc.property(used, fc.nat(120_000), (tokens, contextTokens) => {
        const budget = assess(tokens, { contextTokens });
        const demanded = enforce("strict", budget, tools).map((each) => each.component);
        const over = COMPONENTS.filter((each) =>
          each === "output_reserved" ? contextTokens > 95_000 : (tokens[each] ?? 0) > limits[each].hard,
        );
        expect(demanded).toEqual(over);
      }),
    );
  });
});
