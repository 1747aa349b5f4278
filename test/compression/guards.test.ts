import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BreakerState, initialBreaker, mayCompress, recordPass } from "../../src/compression/breaker.ts";
import { floorFigures } from "../../src/compression/floor.ts";
import { ingestLimit } from "../../src/compression/ingest.ts";

const COOLDOWN = 5;

function pass(state: BreakerState, turn: number, tokensFreed: number, targetTokens = 1_000) {
  return recordPass(state, { turn, targetTokens, tokensFreed }, COOLDOWN);
}

describe("the no-progress breaker", () => {
  it("opens at the second pass in a row that frees less than 5 % of its target", () => {
    const first = pass(initialBreaker(), 10, 49);
    expect(first.opened).toBe(false);
    expect(mayCompress(first.state, 11)).toBe(true);
    const second = pass(first.state, 11, 0);
    expect(second.opened).toBe(true);
    expect([12, 16, 17].map((turn) => mayCompress(second.state, turn))).toEqual([false, false, true]);
  });

  it("stays closed when passes with and without progress take turns", () => {
    let state = initialBreaker();
    for (let turn = 1; turn < 20; turn++) {
      const result = pass(state, turn, turn % 2 === 0 ? 50 : 0);
      expect(result.opened).toBe(false);
      state = result.state;
    }
  });

  it("gives one trial after the cooldown: without progress it opens again, with progress it closes", () => {
    const open = pass(pass(initialBreaker(), 1, 0).state, 2, 0).state;
    const failed = pass(open, 8, 0);
    expect(failed.opened).toBe(true);
    expect(mayCompress(failed.state, 13)).toBe(false);
    expect(mayCompress(failed.state, 14)).toBe(true);
    expect(pass(open, 8, 500)).toEqual({ state: initialBreaker(), opened: false });
  });

  it("does not hold a pass that had nothing to free against it", () => {
    expect(pass(initialBreaker(), 1, 0, 0).state).toEqual(initialBreaker());
  });

  it("never lets more than two idle passes run in any stretch of the cooldown", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 80 }), (progress) => {
        let state = initialBreaker();
        const idle: number[] = [];
        for (const [turn, made] of progress.entries()) {
          if (!mayCompress(state, turn)) continue;
          if (!made) idle.push(turn);
          state = JSON.parse(JSON.stringify(pass(state, turn, made ? 100 : 0).state));
        }
        for (let at = 2; at < idle.length; at++) {
          const stretch = (idle[at] as number) - (idle[at - 2] as number);
          const interrupted = progress.slice(idle[at - 2], idle[at]).includes(true);
          if (!interrupted) expect(stretch).toBeGreaterThan(COOLDOWN);
        }
      }),
    );
  });
});

describe("the floor", () => {
  const input = {
    systemTokens: 1_000,
    toolsTokens: 2_000,
    protectedTokens: 3_000,
    reserveTokens: 500,
    maxTokens: 10_000,
  };

  it("is what nothing can free, in the figures of its event", () => {
    expect(floorFigures({ ...input, red: 0.9 })).toEqual({
      figures: {
        floor_tokens: 6_500,
        max_tokens: 10_000,
        system_tokens: 1_000,
        tools_tokens: 2_000,
        protected_tokens: 3_000,
        reserve_tokens: 500,
      },
      ratio: 0.65,
      contextTokens: 6_000,
      reachesRed: false,
    });
  });

  it("reaches red at the red threshold by what stands in the context, as zones do", () => {
    expect(floorFigures({ ...input, red: 0.6 }).reachesRed).toBe(true);
    expect(floorFigures({ ...input, red: 0.601 }).reachesRed).toBe(false);
  });
});

describe("the ingest limit", () => {
  const input = {
    configured: "auto",
    maxTokens: 100_000,
    redTokens: 90_000,
    outputReserve: 5_000,
    tokensWithout: 10_000,
    pendingResults: 1,
  } as const;

  it("is a quarter of the window by default", () => {
    expect(ingestLimit(input)).toBe(25_000);
  });

  it("is the configured limit where there is room for it", () => {
    expect(ingestLimit({ ...input, configured: 2_000 })).toBe(2_000);
  });

  it("leaves the context below red", () => {
    expect(ingestLimit({ ...input, tokensWithout: 80_000 })).toBe(9_999);
  });

  it("leaves the output reserve alone where red stands above it", () => {
    expect(ingestLimit({ ...input, tokensWithout: 80_000, outputReserve: 15_000 })).toBe(5_000);
  });

  it("shares the room among the results that are still to come", () => {
    expect(ingestLimit({ ...input, tokensWithout: 50_000, pendingResults: 4 })).toBe(9_999);
  });

  it("never goes below 200 tokens, or a quarter of a tiny window, or what was configured", () => {
    expect(ingestLimit({ ...input, tokensWithout: 99_000 })).toBe(200);
    expect(ingestLimit({ ...input, configured: 50, tokensWithout: 99_000 })).toBe(50);
    expect(ingestLimit({ ...input, maxTokens: 400, redTokens: 300, outputReserve: 100, tokensWithout: 390 })).toBe(100);
  });

  it("keeps a context below red unless the least limit binds, for any sizes", () => {
    const sizes = fc.record({
      configured: fc.oneof(fc.constant("auto" as const), fc.integer({ min: 16, max: 50_000 })),
      tokensWithout: fc.nat(120_000),
      pendingResults: fc.integer({ min: 1, max: 8 }),
      redTokens: fc.double({ min: 50_000, max: 95_000, noNaN: true }),
    });
    fc.assert(
      fc.property(sizes, (given) => {
        const limit = ingestLimit({ ...input, ...given });
        expect(Number.isInteger(limit)).toBe(true);
        if (limit > 200) expect(given.tokensWithout + limit * given.pendingResults).toBeLessThan(given.redTokens);
        expect(limit).toBeLessThanOrEqual(given.configured === "auto" ? 25_000 : given.configured);
      }),
      { numRuns: 500 },
    );
  });
});
