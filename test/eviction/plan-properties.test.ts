import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_MERGE, planEviction, protect, scorers } from "../../src/eviction/index.ts";
import { anyContext } from "../support/context-arbitrary.ts";

const anyDemand = fc.record({
  tokensToFree: fc.integer({ min: 1, max: 3_000 }),
  prices: fc.constant({ read: 0.1, write: 1.25 }),
  expectedRemainingTurns: fc.nat(40),
  minTokensFreed: fc.constantFrom(0, 64, 256),
  forced: fc.boolean(),
});
const anyProtection = fc.record({
  keepRecentUnits: fc.nat(4),
  keepRecentTokens: fc.nat(2000),
  keepUserTokens: fc.nat(200),
  protectedTypes: fc.subarray(["memory_injection", "thinking"] as const),
});
const anyScorer = fc.constantFrom(...Object.values(scorers)).map((strategy) => strategy.configure({}));
const anyPass = fc.tuple(anyContext, anyProtection, anyScorer, anyDemand, fc.boolean());

describe("any pass over any run with any policy", () => {
  it("touches nothing protected, splits no unit, frees what it says and what was asked, and is repeatable", () => {
    fc.assert(
      fc.property(anyPass, ([built, protection, scorer, demand, merges]) => {
        const merge = { ...DEFAULT_MERGE, enabled: merges };
        const context = built.context({ merge, protection: protect(built.units, protection) }, protection);
        const before = JSON.stringify(built.units);
        const plan = planEviction(context, scorer, demand);
        expect(JSON.stringify(built.units)).toBe(before);
        expect(planEviction(context, scorer, demand)).toEqual(plan);

        const blocks = new Map(built.blocks.map((block) => [block.id, block]));
        const edited = plan.edits.flatMap((edit) => edit.blockIds);
        expect(new Set(edited).size).toBe(edited.length);
        for (const id of edited) expect(context.protection.ruleOf(id)).toBeNull();

        for (const edit of plan.edits) {
          const unit = built.units.find(({ id }) => id === edit.unitId)!;
          expect(unit.pendingCalls.size).toBe(0);
          expect(edit.tokensAfter).toBeLessThan(edit.tokensBefore);
          expect(edit.replacementText === null).toBe(edit.method === "drop");
          if (edit.method === "drop") expect(edit.blockIds).toEqual(unit.blocks.map(({ id }) => id));
          else for (const id of edit.blockIds) expect(blocks.get(id)!.part.kind).not.toBe("thinking");
          if (edit.intoBlockId !== null) expect(edited).not.toContain(edit.intoBlockId);
        }
        expect(plan.tokensFreed).toBe(plan.edits.reduce((sum, edit) => sum + edit.tokensBefore - edit.tokensAfter, 0));
        const unprotected = built.blocks
          .filter(({ id }) => context.protection.ruleOf(id) === null)
          .reduce((sum, block) => sum + block.tokens, 0);
        expect(plan.tokensFreeable).toBeLessThanOrEqual(unprotected);
        if (plan.refused !== null) return;
        // Counted apart from the plan: whole units that nothing protects.
        const droppable = built.units
          .filter((unit) => unit.pendingCalls.size === 0)
          .filter((unit) => unit.blocks.every(({ id }) => context.protection.ruleOf(id) === null))
          .reduce((sum, unit) => sum + unit.blocks.reduce((tokens, block) => tokens + block.tokens, 0), 0);
        const asked = Math.max(demand.tokensToFree, demand.minTokensFreed);
        expect(plan.tokensFreed).toBeGreaterThanOrEqual(Math.min(asked, droppable));
        if (demand.forced) expect(plan.gate!.decided).toBe(false);
        else expect(plan.gate!.saving).toBeGreaterThan(plan.gate!.cost);
      }),
      { numRuns: 300 },
    );
  });

  it("refuses a forced pass only when there is nothing to take", () => {
    fc.assert(
      fc.property(anyPass, ([built, protection, scorer, demand]) => {
        const context = built.context({}, protection);
        const plan = planEviction(context, scorer, { ...demand, forced: true });
        if (plan.refused !== null) expect([plan.refused, plan.tokensFreeable]).toEqual(["no_candidates", 0]);
      }),
      { numRuns: 150 },
    );
  });
});
