import { describe, expect, it } from "vitest";
import type { CompressionOutcome, CompressionView } from "../../src/compression/method.ts";
import { compressionMethods } from "../../src/compression/methods/index.ts";
import type { Block } from "../../src/model/block.ts";
import type { Unit } from "../../src/model/unit.ts";

function block(id: string, unitId: number, tokens: number): Block {
  return {
    id,
    messageId: `m-${id}`,
    unitId,
    type: "assistant_response",
    turn: unitId,
    tool: null,
    hash: "00",
    partHash: "00",
    handle: "h-0123456789ab",
    originalTokens: tokens,
    approximate: false,
    part: { kind: "text", text: "x", wire: "x" },
    tokens,
    state: "whole",
    pinned: false,
    generation: 0,
    lastReferencedTurn: null,
    referenceCount: 0,
  };
}

/** Units of two messages each. */
function units(many: number, tokens: number): Unit[] {
  return Array.from({ length: many }, (_, id) => ({
    id,
    turn: id,
    blocks: [block(`b${id}a`, id, tokens), block(`b${id}b`, id, tokens)],
    tokens: 2 * tokens,
    pendingCalls: new Set<string>(),
  }));
}

function apply(given: readonly Unit[], more: Partial<CompressionView> = {}, options: object = {}): CompressionOutcome {
  const view: CompressionView = {
    turn: 99,
    windowTokens: 1_000,
    units: given,
    planned: new Map(),
    canRecall: false,
    isProtected: () => false,
    count: (text) => text.length,
    tokensWith: (_block, text) => text.length,
    ...more,
  };
  return compressionMethods.conversation_compaction.configure(options).apply(view, { tokensToFree: 1 });
}

function dropped(outcome: CompressionOutcome): string[][] {
  return outcome.kind === "applied" ? outcome.edits.map((edit) => [...edit.blockIds]) : [];
}

describe("conversation_compaction", () => {
  it("drops all older units whole, oldest first, and keeps five messages", () => {
    const outcome = apply(units(6, 100));
    expect(dropped(outcome)).toEqual([
      ["b0a", "b0b"],
      ["b1a", "b1b"],
      ["b2a", "b2b"],
    ]);
    expect(outcome).toMatchObject({
      edits: [
        {
          method: "drop",
          tokensBefore: 200,
          tokensAfter: 0,
          replacementText: null,
          rule: "conversation_compaction.older",
        },
        {},
        {},
      ],
    });
  });

  it("keeps a share of the window where that is more than five messages", () => {
    expect(dropped(apply(units(30, 10)))).toHaveLength(20);
    expect(dropped(apply(units(30, 10), { windowTokens: 2_000 }))).toHaveLength(10);
    expect(dropped(apply(units(30, 10), {}, { keep_share: 0, keep_messages: 1 }))).toHaveLength(29);
  });

  it("leaves a unit alone of which a block is protected or a call has no result", () => {
    const given = units(6, 100);
    given[1] = { ...(given[1] as Unit), pendingCalls: new Set(["c"]) };
    expect(dropped(apply(given, { isProtected: ({ id }) => id === "b0b" }))).toEqual([["b2a", "b2b"]]);
  });

  it("says why it does not apply", () => {
    expect(apply(units(3, 100))).toEqual({ kind: "not_applicable", reason: "no_older_units" });
    expect(apply([])).toEqual({ kind: "not_applicable", reason: "no_older_units" });
    expect(apply(units(9, 100), { isProtected: () => true })).toEqual({
      kind: "not_applicable",
      reason: "all_protected",
    });
  });
});

describe("sub_agent", () => {
  it("edits nothing", () => {
    expect(compressionMethods.sub_agent.configure({}).apply({} as CompressionView, { tokensToFree: 1 })).toEqual({
      kind: "not_applicable",
      reason: "advice_only",
    });
  });
});
