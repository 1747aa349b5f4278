import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CompressionMethod } from "../../src/compression/index.ts";
import type { CompressionEdit, CompressionView } from "../../src/compression/method.ts";
import { compressionMethods } from "../../src/compression/methods/index.ts";
import type { Block } from "../../src/model/block.ts";
import { EDIT_METHODS } from "../../src/model/events.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import { anyContext } from "../support/context-arbitrary.ts";
import { ContextBuilder, countCharacters } from "../support/context-builder.ts";
import { OUTPUTS } from "../support/tool-outputs.ts";

const CASES = { numRuns: 60 };
const BESIDE = 3;

function viewOf(built: ContextBuilder, more: Partial<CompressionView> = {}): CompressionView {
  return {
    turn: built.turn,
    windowTokens: 8_000,
    units: built.units,
    planned: new Map(),
    canRecall: true,
    isProtected: () => false,
    count: countCharacters,
    tokensWith: (_block, text) => countCharacters(text) + BESIDE,
    ...more,
  };
}

/** Any history, made longer by real-looking results so that there is something to shorten. */
const anyLongContext = fc
  .tuple(anyContext, fc.array(fc.constantFrom(...Object.values(OUTPUTS)), { maxLength: 4 }), fc.nat(25))
  .map(([built, outputs, later]) => {
    for (const { text, tool } of outputs) built.nextTurn().call(tool?.name ?? "bash", {}, text);
    return built.nextTurn(later);
  });

describe.each(Object.entries<Strategy<CompressionMethod>>(compressionMethods))("the method %s", (name, strategy) => {
  const method = strategy.configure({});
  const editsFor = (view: CompressionView, tokensToFree: number): readonly CompressionEdit[] => {
    const outcome = method.apply(view, { tokensToFree });
    return outcome.kind === "applied" ? outcome.edits : [];
  };

  it("names itself as the registry does and says what it is", () => {
    expect(method.name).toBe(name);
    expect(strategy.summary).toMatch(/^[A-Z].*\.$/);
  });

  it("refuses options that it does not know", () => {
    expect(() => strategy.configure({ min_tokns: 3 })).toThrow(/min_tokns/);
  });

  it("says in a word why it does not apply to an empty context", () => {
    const outcome = method.apply(viewOf(new ContextBuilder()), { tokensToFree: 100 });
    expect(outcome).toEqual({ kind: "not_applicable", reason: expect.stringMatching(/^[a-z_]+$/) });
  });

  it("plans edits that free what they say, of live blocks, each once, by a rule of its own", () => {
    fc.assert(
      fc.property(anyLongContext, fc.integer({ min: 1, max: 20_000 }), (built, tokensToFree) => {
        const live = new Map(built.blocks.map((block) => [block.id, block]));
        const seen = new Set<string>();
        for (const edit of editsFor(viewOf(built), tokensToFree)) {
          expect(EDIT_METHODS).toContain(edit.method);
          expect(edit.rule).toMatch(new RegExp(`^${name}\\.[a-z0-9_]+$`));
          const blocks = edit.blockIds.map((id) => live.get(id) as Block);
          expect(edit.tokensBefore).toBe(blocks.reduce((sum, block) => sum + block.tokens, 0));
          expect(edit.tokensAfter).toBeLessThan(edit.tokensBefore);
          if (edit.replacementText !== null)
            expect(edit.tokensAfter).toBe(countCharacters(edit.replacementText) + BESIDE);
          for (const id of edit.blockIds) {
            expect(seen.has(id)).toBe(false);
            seen.add(id);
          }
        }
      }),
      CASES,
    );
  });

  it("never touches what is protected, and what is planned only by dropping it", () => {
    fc.assert(
      fc.property(anyLongContext, fc.func(fc.boolean()), (built, isProtectedId) => {
        const kept = new Set(built.blocks.filter((block) => isProtectedId(block.id)).map((block) => block.id));
        const other = built.blocks.filter((block) => block.tokens % 3 === 0);
        const planned = new Map(other.map(({ id }) => [id, { blockIds: [id] } as unknown as CompressionEdit]));
        for (const edit of editsFor(viewOf(built, { planned, isProtected: (block) => kept.has(block.id) }), 50_000)) {
          for (const id of edit.blockIds) {
            expect(kept.has(id)).toBe(false);
            if (edit.method !== "drop") expect(planned.has(id)).toBe(false);
          }
        }
      }),
      CASES,
    );
  });

  it("answers the same for the same view and changes nothing", () => {
    fc.assert(
      fc.property(anyLongContext, (built) => {
        const before = JSON.stringify(built.blocks);
        const first = method.apply(viewOf(built), { tokensToFree: 500 });
        expect(strategy.configure({}).apply(viewOf(built), { tokensToFree: 500 })).toEqual(first);
        expect(JSON.stringify(built.blocks)).toBe(before);
      }),
      CASES,
    );
  });

  it("leaves thinking, calls and prompts as they are", () => {
    fc.assert(
      fc.property(anyLongContext, (built) => {
        const kinds = new Map(built.blocks.map((block) => [block.id, block]));
        for (const edit of editsFor(
          viewOf(built, { isProtected: (block) => block.type === "system_prompt" }),
          50_000,
        )) {
          if (edit.replacementText === null) continue;
          for (const id of edit.blockIds) expect(["thinking", "tool_call"]).not.toContain(kinds.get(id)?.part.kind);
        }
      }),
      CASES,
    );
  });
});
