import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ZONES, type Zone } from "../../src/model/zone.ts";
import { nextZone, zoneAt } from "../../src/pressure/zones.ts";

const thresholds = { yellow: 0.5, orange: 0.75, red: 0.9 };
const HYSTERESIS = 0.02;

describe("zones", () => {
  it("begin at their threshold", () => {
    expect(zoneAt(0.499_999, thresholds)).toBe("green");
    expect(zoneAt(0.5, thresholds)).toBe("yellow");
    expect(zoneAt(115_200 / 128_000, thresholds)).toBe("red");
    expect(zoneAt(1.4, thresholds)).toBe("red");
  });

  it("are entered upward at once, over several at a time", () => {
    expect(nextZone("green", 0.95, thresholds, HYSTERESIS)).toBe("red");
  });

  it("are left downward only when the utilization is below the threshold by more than the hysteresis", () => {
    expect(nextZone("orange", 0.74, thresholds, HYSTERESIS)).toBe("orange");
    expect(nextZone("orange", 0.73, thresholds, HYSTERESIS)).toBe("orange");
    expect(nextZone("orange", 0.729, thresholds, HYSTERESIS)).toBe("yellow");
  });

  it("are left as far down as each threshold on the way allows", () => {
    expect(nextZone("red", 0.3, thresholds, HYSTERESIS)).toBe("green");
    expect(nextZone("red", 0.49, thresholds, HYSTERESIS)).toBe("yellow");
  });

  it("never flap while the utilization stays within the hysteresis of a threshold", () => {
    const jitter = fc.array(fc.double({ min: -0.019, max: 0.019, noNaN: true }), { minLength: 2, maxLength: 50 });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.constantFrom(0.5, 0.75, 0.9), jitter, (start, threshold, offsets) => {
        let zone: Zone = start;
        let changes = 0;
        for (const offset of offsets) {
          const next = nextZone(zone, threshold + offset, thresholds, HYSTERESIS);
          if (next !== zone) changes += 1;
          zone = next;
        }
        // One change to arrive near the threshold, at most one more upward over it.
        expect(changes).toBeLessThanOrEqual(2);
      }),
      { numRuns: 1_000 },
    );
  });

  it("never read lower than the plain zone, and at most the hysteresis higher", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.double({ min: 0, max: 1.5, noNaN: true }), (previous, utilization) => {
        const zone = nextZone(previous, utilization, thresholds, HYSTERESIS);
        expect(ZONES.indexOf(zone)).toBeGreaterThanOrEqual(ZONES.indexOf(zoneAt(utilization, thresholds)));
        expect(ZONES.indexOf(zone)).toBeLessThanOrEqual(
          ZONES.indexOf(zoneAt(utilization + HYSTERESIS + 1e-9, thresholds)),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});
