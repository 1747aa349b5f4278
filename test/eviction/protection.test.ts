import { describe, expect, it } from "vitest";
import { type ProtectionSettings, protect, protectionAt } from "../../src/eviction/index.ts";
import { ContextBuilder, textPart } from "../support/context-builder.ts";

const bare: ProtectionSettings = {
  keepRecentUnits: 0,
  keepRecentTokens: Number.POSITIVE_INFINITY,
  keepUserTokens: 0,
  protectedTypes: [],
};

/** A system prompt, a task, two answered calls, a word of the user, an answer. */
function run() {
  const built = new ContextBuilder();
  const system = built.system("rules");
  const task = built.user("the task");
  const first = built.nextTurn().call("read_file", { path: "a" }, "content of a");
  const second = built.nextTurn().call("read_file", { path: "b" }, "content of b");
  const word = built.nextTurn().user("by the way: no tabs");
  const answer = built.nextTurn().assistant("done");
  return { built, system, task, first, second, word, answer };
}

describe("protect", () => {
  it("keeps the system prompt, the tool definitions, the task and the latest user message", () => {
    const { built, system, task, first, word, answer } = run();
    const tools = built.unit({ type: "tool_definition", part: { kind: "other", wire: { name: "t" } } });
    const protection = protect(built.units, bare);
    expect(protection.ruleOf(system.blocks[0]!.id)).toBe("protected.system_prompt");
    expect(protection.ruleOf(tools.blocks[0]!.id)).toBe("protected.tool_definition");
    expect(protection.ruleOf(task.blocks[0]!.id)).toBe("protected.task");
    expect(protection.ruleOf(word.blocks[0]!.id)).toBe("protected.latest_user_message");
    expect(protection.ruleOf(answer.blocks[0]!.id)).toBeNull();
    expect(protection.keepsUnit(first)).toBe(false);
  });

  it("keeps every part of the task's message", () => {
    const built = new ContextBuilder();
    const part = (text: string) => ({ type: "user_message" as const, part: textPart(text) });
    const task = built.unit(part("look at this"), part("and at that"));
    built.user("go on");
    const protection = protect(built.units, bare);
    for (const block of task.blocks) expect(protection.ruleOf(block.id)).toBe("protected.task");
  });

  it("keeps the calls and results that no assistant message has followed, and lets go when one has", () => {
    const built = new ContextBuilder();
    built.user("task");
    const call = built.nextTurn().call("read_file", { path: "a" }, "content", { thinking: "hm" });
    for (const block of call.blocks) {
      expect(protect(built.units, bare).ruleOf(block.id)).toBe("protected.unanswered_result");
    }
    built.nextTurn().assistant("I see");
    expect(protect(built.units, bare).keepsUnit(call)).toBe(false);
  });

  it("keeps a unit whose call has no result yet, wherever it stands", () => {
    const built = new ContextBuilder();
    built.user("task");
    const pending = built.nextTurn().call("read_file", { path: "a" }, null);
    built.nextTurn().assistant("meanwhile");
    const protection = protect(built.units, bare);
    expect(protection.ruleOf(pending.blocks[0]!.id)).toBe("protected.pending_call");
    expect(protection.keepsUnit(pending)).toBe(true);
  });

  it("keeps a pinned block and, from being dropped, its unit, but not the unit's other blocks from being cleared", () => {
    const { built, first } = run();
    first.blocks[0]!.pinned = true;
    const protection = protect(built.units, bare);
    expect(protection.ruleOf(first.blocks[0]!.id)).toBe("protected.pin");
    expect(protection.ruleOf(first.blocks[1]!.id)).toBeNull();
    expect(protection.keepsUnit(first)).toBe(true);
  });

  it("keeps the newest units as they are", () => {
    const { built, second } = run();
    const protection = protect(built.units, { ...bare, keepRecentUnits: 3 });
    expect(protection.ruleOf(second.blocks[1]!.id)).toBe("protected.recent_unit");
    expect(protect(built.units, { ...bare, keepRecentUnits: 2 }).ruleOf(second.blocks[1]!.id)).toBeNull();
  });

  it("keeps what holds the constraints, and the types of the config", () => {
    const { built, first, answer } = run();
    const settings = { ...bare, protectedTypes: ["tool_result" as const] };
    const protection = protect(
      built.units,
      settings,
      new Map([[answer.blocks[0]!.id, "protected.constraint" as const]]),
    );
    expect(protection.ruleOf(answer.blocks[0]!.id)).toBe("protected.constraint");
    expect(protection.ruleOf(first.blocks[1]!.id)).toBe("protected.type");
  });

  it("keeps earlier user messages verbatim within the budget, newest first, a long paste not costing short rules", () => {
    const built = new ContextBuilder();
    built.user("task");
    const rule = built.nextTurn().user("never touch the tests");
    const paste = built.nextTurn().user("x".repeat(4_000));
    const recent = built.nextTurn().user("use tabs");
    built.nextTurn().user("latest");
    const ruleOf = (budget: number, unit: typeof rule) =>
      protect(built.units, { ...bare, keepUserTokens: budget }).ruleOf(unit.blocks[0]!.id);
    expect(ruleOf(100, recent)).toBe("protected.user_budget");
    expect(ruleOf(100, paste)).toBeNull();
    expect(ruleOf(100, rule)).toBe("protected.user_budget");
    expect(ruleOf(recent.tokens, rule)).toBeNull();
    expect(ruleOf(0, recent)).toBeNull();
  });

  it("counts each protected block once", () => {
    const { built } = run();
    const { tokens, totalTokens } = protect(built.units, { ...bare, keepRecentUnits: 100 });
    expect(totalTokens).toBe(built.tokens);
    expect(Object.values(tokens).reduce((sum, value) => sum + value, 0)).toBe(totalTokens);
  });
});

describe("protectionAt", () => {
  const normal: ProtectionSettings = {
    keepRecentUnits: 3,
    keepRecentTokens: Number.POSITIVE_INFINITY,
    keepUserTokens: 800,
    protectedTypes: ["note"],
  };

  it("keeps 2 recent units when aggressive, 1 in an emergency, and no budget for user messages", () => {
    expect(protectionAt("normal", normal)).toEqual(normal);
    expect(protectionAt("aggressive", normal)).toEqual({
      ...normal,
      keepRecentUnits: 2,
      keepRecentTokens: Number.POSITIVE_INFINITY,
      keepUserTokens: 0,
    });
    expect(protectionAt("emergency", normal)).toEqual({
      ...normal,
      keepRecentUnits: 1,
      keepRecentTokens: Number.POSITIVE_INFINITY,
      keepUserTokens: 0,
    });
  });

  it("never protects more than the normal level", () => {
    expect(protectionAt("aggressive", { ...normal, keepRecentUnits: 0 }).keepRecentUnits).toBe(0);
  });
});
