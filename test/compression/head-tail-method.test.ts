import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CompressionEdit, CompressionView } from "../../src/compression/method.ts";
import { compressionMethods } from "../../src/compression/methods/index.ts";
import type { Block } from "../../src/model/block.ts";
import type { Part } from "../../src/model/part.ts";

/** What a block costs beside its text. */
const BESIDE = 5;

function block(id: string, size: number, more: Partial<Block> = {}): Block {
  const text = "0123456789\n".repeat(Math.ceil(size / 11)).slice(0, size - BESIDE);
  const part: Part = { kind: "tool_result", callId: id, isError: false, text, attachments: [], wire: {} };
  return {
    id,
    messageId: `m-${id}`,
    unitId: 1,
    type: "tool_result",
    turn: 1,
    tool: null,
    hash: "00",
    partHash: "00",
    handle: "h-0123456789ab",
    originalTokens: size,
    approximate: false,
    part,
    tokens: size,
    state: "whole",
    pinned: false,
    generation: 0,
    lastReferencedTurn: null,
    referenceCount: 0,
    ...more,
  };
}

function view(blocks: readonly Block[], more: Partial<CompressionView> = {}): CompressionView {
  return {
    turn: 9,
    windowTokens: 100_000,
    units: blocks.map((each, id) => ({
      id,
      turn: 1,
      blocks: [each],
      tokens: each.tokens,
      pendingCalls: new Set<string>(),
    })),
    planned: new Map(),
    canRecall: true,
    isProtected: () => false,
    count: (text) => text.length,
    tokensWith: (_block, text) => text.length + BESIDE,
    ...more,
  };
}

function edits(blocks: readonly Block[], tokensToFree: number, more: Partial<CompressionView> = {}): CompressionEdit[] {
  const outcome = compressionMethods.head_tail.configure({}).apply(view(blocks, more), { tokensToFree });
  return outcome.kind === "applied" ? [...outcome.edits] : [];
}

function freed(list: readonly CompressionEdit[]): number {
  return list.reduce((sum, edit) => sum + edit.tokensBefore - edit.tokensAfter, 0);
}

describe("the head_tail method", () => {
  it("cuts the largest block alone while that is enough", () => {
    const list = edits([block("b1", 3_000), block("b2", 10_000), block("b3", 2_000)], 4_000);
    expect(list.map((edit) => edit.blockIds)).toEqual([["b2"]]);
    expect(list[0]).toMatchObject({ method: "truncate", tokensBefore: 10_000, rule: "head_tail.largest" });
    expect(freed(list)).toBeGreaterThanOrEqual(4_000);
    expect(freed(list)).toBeLessThan(4_100);
  });

  it("cuts several to one common size where one is not enough", () => {
    const list = edits([block("b1", 3_000), block("b2", 10_000), block("b3", 6_000)], 11_000);
    expect(list.map((edit) => edit.blockIds[0])).toEqual(["b1", "b2", "b3"]);
    for (const edit of list) {
      expect(edit.tokensAfter).toBeLessThanOrEqual(2_667);
      expect(edit.tokensAfter).toBeGreaterThan(2_600);
    }
    expect(freed(list)).toBeGreaterThanOrEqual(11_000);
  });

  it("leaves protected, planned, cleared and merged blocks alone, and what has no tail", () => {
    const thinking: Part = { kind: "thinking", text: "t".repeat(5_000), wire: {} };
    const call: Part = { kind: "tool_call", callId: "c", name: "n", argumentsText: "{}", wire: {} };
    const blocks = [
      block("protected", 5_000),
      block("planned", 5_000),
      block("cleared", 5_000, { state: "cleared" }),
      block("merged", 5_000, { state: "merged" }),
      block("thinking", 5_000, { part: thinking }),
      block("call", 5_000, { part: call }),
    ];
    const planned = new Map([["planned", { blockIds: ["planned"] } as unknown as CompressionEdit]]);
    const only = { planned, isProtected: (each: Block) => each.id === "protected" };
    const outcome = compressionMethods.head_tail.configure({}).apply(view(blocks, only), { tokensToFree: 1_000 });
    expect(outcome).toEqual({ kind: "not_applicable", reason: "no_large_text" });
  });

  it("leaves small blocks alone and keeps 200 tokens of the others, whatever the demand", () => {
    const list = edits([block("b1", 500), block("b2", 2_000)], 1_000_000);
    expect(list.map((edit) => edit.blockIds[0])).toEqual(["b2"]);
    expect(list[0]?.tokensAfter).toBeLessThanOrEqual(200);
    expect(list[0]?.tokensAfter).toBeGreaterThan(150);
  });

  it("names the handle only where the agent can recall", () => {
    expect(edits([block("b1", 5_000)], 1_000)[0]?.replacementText).toContain("recall h-0123456789ab");
    expect(edits([block("b1", 5_000)], 1_000, { canRecall: false })[0]?.replacementText).not.toContain("recall");
  });

  it("says that it does not apply when cutting would save nothing", () => {
    const outcome = compressionMethods.head_tail
      .configure({})
      .apply(view([block("b1", 5_000)], { tokensWith: () => 5_000 }), { tokensToFree: 1_000 });
    expect(outcome).toEqual({ kind: "not_applicable", reason: "nothing_saved" });
  });

  it("refuses options that it does not know", () => {
    expect(() => compressionMethods.head_tail.configure({ keep: 1 })).toThrow(/keep/);
  });

  it("meets the demand where the blocks allow it, and cuts none below a block that it leaves", () => {
    const sizes = fc.array(fc.integer({ min: 20, max: 20_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 100_000 }), (list, tokensToFree) => {
        const blocks = list.map((size, index) => block(`b${index}`, size));
        const planned = edits(blocks, tokensToFree);
        const most = list.filter((size) => size > 500).reduce((sum, size) => sum + size - 500, 0);
        if (tokensToFree <= most) expect(freed(planned)).toBeGreaterThanOrEqual(tokensToFree);
        const cut = new Set(planned.flatMap((edit) => edit.blockIds));
        const left = blocks.filter((each) => !cut.has(each.id)).map((each) => each.tokens);
        for (const edit of planned) {
          expect(edit.tokensBefore).toBeGreaterThan(500);
          expect(edit.tokensBefore).toBeGreaterThan(Math.max(0, ...left.filter((size) => size > 500)) - 1);
          expect(edit.tokensAfter).toBeLessThan(edit.tokensBefore);
        }
      }),
      { numRuns: 200 },
    );
  });
});
