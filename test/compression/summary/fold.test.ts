import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldSummary, SECTION_SHARES } from "../../../src/compression/summary/fold.ts";
import {
  emptySections,
  renderSummary,
  SECTION_NAMES,
  type SummarySections,
} from "../../../src/compression/summary/sections.ts";
import { quarterCount as count } from "../../support/passages.ts";

function of(given: Partial<SummarySections>): SummarySections {
  return { ...emptySections(), ...given };
}

function fold(
  previous: Partial<SummarySections> | null,
  next: Partial<SummarySections>,
  limitTokens = 10_000,
): SummarySections {
  return foldSummary(previous === null ? null : of(previous), of(next), { limitTokens, count });
}

describe("the anchored fold", () => {
  it("keeps what the earlier summary says and adds what is new, in the order of time", () => {
    const folded = fold(
      { decisions: ["use a stack because of depth"], done: ["wrote the lexer"] },
      { done: ["wrote the parser"] },
    );
    expect(folded.decisions).toEqual(["use a stack because of depth"]);
    expect(folded.done).toEqual(["wrote the lexer", "wrote the parser"]);
  });

  it("says the same fact once, in the newer words and at the newer place", () => {
    const folded = fold(
      {
        decisions: ["The parser uses a stack because recursion overflows", "other thing entirely here"],
        files: ["a.ts (read)", "b.ts (edited)"],
      },
      { decisions: ["The parser uses a stack, because recursion overflows."], files: ["a.ts (edited)"] },
    );
    expect(folded.decisions).toEqual([
      "other thing entirely here",
      "The parser uses a stack, because recursion overflows.",
    ]);
    expect(folded.files).toEqual(["a.ts (edited)", "b.ts (edited)"]);
  });

  it("does not take two facts for one that differ in a number or a name", () => {
    const orders = [
      "I have cancelled the order #W1001 for the customer",
      "I have cancelled the order #W1002 for the customer",
    ];
    expect(fold({ done: [orders[0] as string] }, { done: [orders[1] as string] }).done).toEqual(orders);
  });

  it("does not forget that a file was changed when it is only read later", () => {
    expect(fold({ files: ["a.ts (edited)"] }, { files: ["a.ts (read)"] }).files).toEqual(["a.ts (edited)"]);
  });

  it("moves a todo that is done out of the list", () => {
    const folded = fold(
      { todo: ["Add tests for the lexer", "Write the docs"] },
      { done: ["I've added the tests for the lexer."] },
    );
    expect(folded.todo).toEqual(["Write the docs"]);
    expect(folded.done).toEqual(["I've added the tests for the lexer."]);
  });

  it("puts the newest state in place of the older one, and keeps the older where nothing new is told", () => {
    const folded = fold({ current: ["lexing"], next_step: ["parse"], goal: ["g"] }, { current: ["parsing"] });
    expect(folded).toMatchObject({ current: ["parsing"], next_step: ["parse"], goal: ["g"] });
  });

  it("lets resolved errors fade before the others, and older facts before newer", () => {
    const errors = ["`make` (resolved):\nerror: old one resolved", "`pytest`:\nTypeError: still there"];
    const done = Array.from({ length: 40 }, (_, n) => `step number ${n} of the work was done with care`);
    const folded = fold({ errors, done }, {}, 120);
    expect(folded.errors[0]).toContain("still there");
    expect(folded.errors).toHaveLength(1);
    expect(folded.done.length).toBeGreaterThan(0);
    expect(folded.done.at(-1)).toBe(done.at(-1));
    expect(folded.done).not.toContain(done[0]);
  });

  it("keeps an older fact that is stated again, where others of its age leave", () => {
    const done = Array.from({ length: 40 }, (_, n) => `step number ${n} of the work was done with care`);
    const folded = fold({ done }, { done: [done[0] as string] }, 120);
    expect(folded.done).toContain(done[0]);
    expect(folded.done).not.toContain(done[1]);
  });

  it("never cuts goal and constraints, and holds the limit in all else", () => {
    const words = fc.array(fc.string({ minLength: 1, maxLength: 200 }), { maxLength: 12 });
    const any = fc.record(Object.fromEntries(SECTION_NAMES.map((name) => [name, words])));
    fc.assert(
      fc.property(any, any, fc.integer({ min: 0, max: 600 }), (previous, next, limitTokens) => {
        const all = foldSummary(previous as unknown as SummarySections, next as unknown as SummarySections, {
          limitTokens: 1e9,
          count,
        });
        const folded = foldSummary(previous as unknown as SummarySections, next as unknown as SummarySections, {
          limitTokens,
          count,
        });
        expect(folded.goal).toEqual(all.goal);
        expect(folded.constraints).toEqual(all.constraints);
        const fixed = count(renderSummary(of({ goal: folded.goal, constraints: folded.constraints })));
        expect(count(renderSummary(folded))).toBeLessThanOrEqual(Math.max(limitTokens, fixed));
      }),
    );
  });

  it("has shares that add up to 1", () => {
    expect(Object.values(SECTION_SHARES).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
  });

  it("changes nothing when nothing is new and all fits", () => {
    const given = of({
      goal: ["g"],
      done: ["first thing"],
      errors: ["`x`:\nerror: y"],
      files: ["a.ts (read)"],
      numbers: ["12 passed"],
    });
    expect(foldSummary(given, emptySections(), { limitTokens: 1_000, count })).toEqual(given);
    expect(foldSummary(given, given, { limitTokens: 1_000, count })).toEqual(given);
  });
});
