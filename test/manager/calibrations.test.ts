import { describe, expect, it } from "vitest";
import { Calibrations } from "../../src/manager/calibrations.ts";
import type { CoreEvent } from "../../src/model/events.ts";

const ended = (prompt_tokens: number | null): readonly CoreEvent[] => [
  {
    type: "turn.ended",
    data: {
      turn: 1,
      stop_reason: null,
      input_tokens: prompt_tokens,
      output_tokens: null,
      cache_read_input_tokens: null,
      cache_creation_input_tokens: null,
      prompt_tokens,
      estimated_tokens: 100,
    },
  },
];

describe("calibrations", () => {
  it("are of a tenant and a model: what one tenant reports moves no other's counts", () => {
    const calibrations = new Calibrations();
    calibrations.learn("acme", "m", ended(200));
    expect(calibrations.factor("acme", "m")).toBeGreaterThan(1);
    expect(calibrations.factor("acme", "n")).toBe(1);
    expect(calibrations.factor("other", "m")).toBe(1);
  });

  it("tell what would be learned without learning it", () => {
    const calibrations = new Calibrations();
    expect(calibrations.after("acme", "m", ended(200))).toBeGreaterThan(1);
    expect(calibrations.factor("acme", "m")).toBe(1);
  });

  it("learn nothing from a call whose usage was not reported", () => {
    const calibrations = new Calibrations();
    calibrations.learn("acme", "m", ended(null));
    expect(calibrations.factor("acme", "m")).toBe(1);
  });

  it("are bounded in number, however many models a tenant names", () => {
    const calibrations = new Calibrations();
    calibrations.resume("acme", "first", 2);
    for (let n = 0; n < 1000; n++) calibrations.learn("acme", `m${n}`, ended(200));
    expect(calibrations.factor("acme", "first")).toBe(1);
    expect(calibrations.factor("acme", "m999")).toBeGreaterThan(1);
  });
});
