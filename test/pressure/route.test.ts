import { describe, expect, it } from "vitest";
import type { Zone } from "../../src/model/zone.ts";
import { outputReserve, outputReserveFree } from "../../src/pressure/reserve.ts";
import { needsNextWindow, type RouteInput, route, targetTokens } from "../../src/pressure/route.ts";

function routed(zone: Zone, utilization: number, more: Partial<RouteInput> = {}) {
  return route({
    reading: { zone, utilization, tokens: utilization * 100_000 },
    forecastOrange: false,
    outputReserveFree: true,
    emergency: 0.95,
    targetTokens: 48_000,
    ...more,
  });
}

describe("the router", () => {
  it.each([
    ["green", 0.3, "none", "healthy"],
    ["yellow", 0.6, "evaluate", "preparing"],
    ["orange", 0.8, "evict", "active_management"],
    ["red", 0.92, "compact", "active_management"],
    ["red", 0.95, "emergency_compaction", "emergency"],
  ] as const)("answers %s at %d with %s", (zone, utilization, action, status) => {
    expect(routed(zone, utilization)).toEqual({ action, status });
  });

  it("treats red within two turns as orange", () => {
    expect(routed("yellow", 0.6, { forecastOrange: true }).action).toBe("evict");
    expect(routed("green", 0.49, { forecastOrange: true }).action).toBe("evict");
  });

  it("orders no eviction on a forecast when there is nothing to free", () => {
    expect(routed("green", 0.48, { forecastOrange: true }).action).toBe("none");
  });

  it("makes an emergency of a taken output reserve, whatever the zone", () => {
    expect(routed("red", 0.91, { outputReserveFree: false })).toEqual({
      action: "emergency_compaction",
      status: "emergency",
    });
  });

  it("saves across windows when an emergency compaction left 93 % or more", () => {
    expect(needsNextWindow(0.93)).toBe(true);
    expect(needsNextWindow(0.929)).toBe(false);
  });
});

describe("the target of a pass", () => {
  const thresholds = { yellow: 0.5, orange: 0.75, red: 0.9 };

  it("is 0.65 of orange by default", () => {
    expect(targetTokens("auto", thresholds, 128_000)).toBe(62_400);
  });

  it("is the configured share of the window otherwise", () => {
    expect(targetTokens(0.6, thresholds, 128_000)).toBe(76_800);
  });
});

describe("the output reserve", () => {
  it.each([
    [128_000, 0.05, 6_400],
    [16_000, 0.05, 4_000],
    [8_192, 0.05, 2_048],
    [32_000, 0.05, 4_096],
    [100, 0.29, 29],
  ])("of a window of %i at a share of %d is %i tokens", (window, share, tokens) => {
    expect(outputReserve(window, share)).toBe(tokens);
  });

  it("is free up to its last token", () => {
    expect(outputReserveFree(96_000, 100_000, 4_000)).toBe(true);
    expect(outputReserveFree(96_001, 100_000, 4_000)).toBe(false);
  });
});
