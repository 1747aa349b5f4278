import { describe, expect, it } from "vitest";
import { budgetLimits } from "../../src/budget/limits.ts";

const allocations = {
  system_prompt: 0.06,
  tool_definitions: 0.04,
  message_history: 0.65,
  tool_results: 0.12,
  memory_injection: 0.08,
  output_reserved: 0.05,
};

describe("budget limits", () => {
  it("are the floor of the share, and 80 % of that", () => {
    const limits = budgetLimits(128_000, allocations, 0.8, 6_400);
    expect(limits.system_prompt).toEqual({ share: 0.06, hard: 7_680, soft: 6_144 });
    expect(limits.message_history).toEqual({ share: 0.65, hard: 83_200, soft: 66_560 });
    expect(budgetLimits(8_191, allocations, 0.8, 0).tool_results.hard).toBe(982);
  });

  it("do not lose a token to the rounding of a float", () => {
    expect(100 * 0.29).toBeLessThan(29);
    expect(budgetLimits(100, { ...allocations, tool_results: 0.29 }, 1, 5).tool_results).toEqual({
      share: 0.29,
      hard: 29,
      soft: 29,
    });
  });

  it("hold the whole output reserve where it is larger than its share", () => {
    expect(budgetLimits(16_000, allocations, 0.8, 4_000).output_reserved).toEqual({
      share: 0.05,
      hard: 4_000,
      soft: 4_000,
    });
  });
});
