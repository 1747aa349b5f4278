import { describe, expect, it } from "vitest";
import { CallFigures } from "../../src/rpc/call-figures.ts";
import { VirtualClock } from "../support/manager.ts";

describe("figures of calls", () => {
  it("are a tenant's own: another's calls do not show in them", () => {
    const figures = new CallFigures(new VirtualClock());
    for (let n = 1; n <= 100; n++) figures.record({ tenant: "acme", outcome: "ok", seconds: n / 1000 });
    figures.record({ tenant: "acme", outcome: "stale_revision", seconds: 0.5 });
    expect(figures.read("acme")).toEqual({ total: 101, errors: 1, perSecond: 101 / 60, p99Ms: 100 });
    expect(figures.read("other")).toEqual({ total: 0, errors: 0, perSecond: 0, p99Ms: null });
  });

  it("forget for the rate what is older than a minute, and keep it in the total", () => {
    const clock = new VirtualClock();
    const figures = new CallFigures(clock);
    figures.record({ tenant: "acme", outcome: "ok", seconds: 0.001 });
    clock.advance(60_001);
    expect(figures.read("acme")).toEqual({ total: 1, errors: 0, perSecond: 0, p99Ms: null });
  });
});
