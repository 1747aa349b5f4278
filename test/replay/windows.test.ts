import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../src/config/index.ts";
import { effectiveThresholds, outputReserve } from "../../src/pressure/index.ts";
import { parseWindow, sessionWindow, unfitWindow } from "../../src/replay/windows.ts";
import { configWith } from "../config/config-with.ts";

const config = configWith();
const settings = resolveSettings(config, config.profile);

describe("a window to replay in", () => {
  test.each([
    ["25%", 40_001, 10_000],
    ["16k", 40_000, 16_000],
    ["8000", 40_000, 8000],
    ["12.5%", 40_000, 5000],
  ])("%s of a run of %i tokens is %i", (label, tokens, window) => {
    expect(parseWindow(label).tokensOf({ tokens, own: 7000 })).toBe(window);
  });

  test("of its own is what the record tells, or unknown", () => {
    expect(parseWindow("own").tokensOf({ tokens: 40_000, own: 7000 })).toBe(7000);
    expect(parseWindow("own").tokensOf({ tokens: 40_000, own: null })).toBeNull();
  });

  test.each(["", "0", "101%", "16m", "-5k", "k"])("%j is none", (label) => {
    expect(() => parseWindow(label)).toThrow(/is no window/);
  });

  test.each([
    [3999, { tokens: 50_000, pinned: 100 }, "window_too_small"],
    [16_000, { tokens: 19_999, pinned: 100 }, "window_does_not_bind"],
    [16_000, { tokens: 50_000, pinned: 8001 }, "pinned_too_large"],
    [16_000, { tokens: 20_000, pinned: 8000 }, null],
  ] as const)("of %i tokens for %j: %s", (window, run, unfit) => {
    expect(unfitWindow(window, run)).toBe(unfit);
  });

  test("is the rendered size at which a session acts: its own window is the largest that acts no later", () => {
    const untouched = (window: number) => {
      const reserve = outputReserve(window, settings.budget.allocations.output_reserved);
      return Math.ceil(effectiveThresholds("auto", window, reserve).orange * window) - 1;
    };
    for (let most = 4000; most < 200_000; most = Math.ceil(most * 1.07)) {
      const window = sessionWindow(most, settings);
      expect(untouched(window), `a window of ${window} for ${most}`).toBeLessThanOrEqual(most);
      expect(untouched(window + 1), `a window of ${window + 1} for ${most}`).toBeGreaterThan(most);
    }
  });
});
