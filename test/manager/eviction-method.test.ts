import { describe, expect, it } from "vitest";
import type { Scorer } from "../../src/eviction/index.ts";
import type { Services } from "../../src/manager/hook.ts";
import type { PassEdit } from "../../src/manager/passes/edit.ts";
import { EvictionMethod } from "../../src/manager/passes/eviction-method.ts";
import { PreparedDrop } from "../../src/manager/passes/prepared-drop.ts";
import { configWith } from "../config/config-with.ts";
import { ContextBuilder } from "../support/context-builder.ts";

const bare = { keepRecentUnits: 0, keepRecentTokens: Number.POSITIVE_INFINITY, keepUserTokens: 0, protectedTypes: [] };
const services = {
  settings: configWith({ "eviction.min_tokens_freed": 0 }),
  model: { prices: null },
} as unknown as Services;

const scorer: Scorer = {
  name: "oldest",
  actions: ["clear", "drop"],
  depth: "target",
  score: (block) => ({ score: block.unitId / 100, parts: {}, rule: "oldest.unit" }),
};

const page = Array.from({ length: 60 }, (_, at) => `line ${at} holds value${at * 7}`).join("\n");
const other = Array.from({ length: 60 }, (_, at) => `other ${at * 3} says word${at * 11}`).join("\n");

/** The task, two results that say the same, one that does not, an answer. */
function built(): ContextBuilder {
  const builder = new ContextBuilder();
  builder.user("task");
  builder.nextTurn().call("bash", { command: "cat a" }, page);
  builder.nextTurn().call("bash", { command: "cat b" }, page);
  builder.nextTurn().call("bash", { command: "cat c" }, other);
  builder.nextTurn().assistant("done");
  return builder;
}

function edit(method: PassEdit["method"], blockIds: string[], tokensBefore: number, tokensAfter: number): PassEdit {
  return {
    method,
    blockIds,
    tokensBefore,
    tokensAfter,
    replacementText: tokensAfter > 0 ? "short" : null,
    rule: "test",
  };
}

/** Runs the step behind these edits. */
function behind(builder: ContextBuilder, planned: readonly PassEdit[], tokensToFree: number) {
  const method = new EvictionMethod(builder.context({}, bare), scorer, services, {
    rewritesAll: false,
    turnsEarly: Number.POSITIVE_INFINITY,
  });
  const byBlock = new Map(planned.flatMap((each) => each.blockIds.map((id) => [id, each] as const)));
  const outcome = method.apply({ planned: byBlock }, { tokensToFree });
  return { method, edits: outcome.kind === "applied" ? outcome.edits : [], outcome };
}

const tokensOf = (builder: ContextBuilder, id: string) => builder.blocks.find((block) => block.id === id)?.tokens ?? 0;

describe("eviction as a step", () => {
  it("merges a result into a newer one that says the same, and names it", () => {
    const { edits, method } = behind(built(), [], 100);
    expect(edits).toMatchObject([{ method: "merge", blockIds: ["b3"], intoBlockId: "b5" }]);
    expect([...method.mergedInto]).toEqual(["b5"]);
  });

  it.each(["summarize", "truncate"] as const)("merges nothing into a result of which a step before does %s", (how) => {
    const builder = built();
    const { edits, method } = behind(builder, [edit(how, ["b5"], tokensOf(builder, "b5"), 20)], 100);
    expect(edits.map(({ method: each }) => each)).not.toContain("merge");
    expect(method.mergedInto.size).toBe(0);
  });

  it("does not take what a step before takes", () => {
    const builder = built();
    const tokens = tokensOf(builder, "b2") + tokensOf(builder, "b3");
    const { edits } = behind(builder, [edit("drop", ["b2", "b3"], tokens, 0)], 1_000_000);
    expect(edits.flatMap(({ blockIds }) => blockIds)).not.toContain("b3");
    expect(edits.length).toBeGreaterThan(0);
  });

  it("frees of what a step before makes shorter only what that leaves, and tells the tokens before both", () => {
    const builder = built();
    const shortened = ["b3", "b5", "b7"].map((id) => edit("summarize", [id], tokensOf(builder, id), 60));
    const asked = 100;
    const { edits, method } = behind(builder, shortened, asked);
    // A result of 60 tokens frees no 100: two of them have to go.
    expect(edits.length).toBeGreaterThan(1);
    expect(method.plan?.tokensFreed).toBeLessThan(3 * asked);
    for (const { blockIds, tokensBefore } of edits)
      expect(tokensBefore).toBe(blockIds.reduce((sum, id) => sum + tokensOf(builder, id), 0));
  });
});

describe("the units that a prepared summary stands for", () => {
  const view = (builder: ContextBuilder, isProtected: (id: string) => boolean = () => false) => ({
    ...builder.context({}, bare),
    planned: new Map(),
    isProtected: ({ id }: { readonly id: string }) => isProtected(id),
  });

  it("go as a whole", () => {
    const outcome = new PreparedDrop(["b2", "b3", "b4", "b5"]).apply(view(built()));
    expect(outcome).toMatchObject({
      kind: "applied",
      edits: [
        { method: "drop", blockIds: ["b2", "b3"], rule: "summary.prepared", tokensAfter: 0 },
        { method: "drop", blockIds: ["b4", "b5"] },
      ],
    });
  });

  it.each([
    ["one of them has gone", ["b2", "b3", "b99"], () => false],
    ["one has a block more", ["b2", "b3", "b4"], () => false],
    ["one is protected since", ["b2", "b3", "b4", "b5"], (id: string) => id === "b4"],
  ])("stay as they are where %s", (_, ids, isProtected) => {
    expect(new PreparedDrop(ids).apply(view(built(), isProtected))).toEqual({
      kind: "not_applicable",
      reason: "inputs_changed",
    });
  });
});
