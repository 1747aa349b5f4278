import { describe, expect, it } from "vitest";
import { DEFAULT_PRICES, gateFigures, paysBack } from "../../src/eviction/index.ts";

const input = {
  prices: DEFAULT_PRICES,
  tokensFreed: 1_000,
  tokensRewritten: 2_000,
  expectedRemainingTurns: 20,
  decided: true,
};

describe("the break-even gate", () => {
  it("sets the freed tokens' reads over the turns left against the rewritten tokens' extra price", () => {
    const figures = gateFigures(input);
    expect(figures.saving).toBeCloseTo(1_000 * 0.1 * 20);
    expect(figures.cost).toBeCloseTo(2_000 * 1.15);
    expect(figures).toMatchObject({ tokens_freed: 1_000, tokens_rewritten: 2_000, decided: true });
  });

  it("lets an edit pass only when it saves more than it costs", () => {
    expect(paysBack(gateFigures(input))).toBe(false);
    expect(paysBack(gateFigures({ ...input, expectedRemainingTurns: 24 }))).toBe(true);
    expect(paysBack(gateFigures({ ...input, tokensRewritten: 1_700 }))).toBe(true);
    expect(paysBack(gateFigures({ ...input, tokensFreed: 0, tokensRewritten: 0 }))).toBe(false);
  });
});
