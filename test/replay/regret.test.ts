import { describe, expect, test } from "vitest";
import type { Need } from "../../src/replay/needs.ts";
import { RegretMeter } from "../../src/replay/regret.ts";

const need = (index: number, weight = 0.5) => ({ index, weight }) as Need;
const HERE = new Set([7]);
const GONE: ReadonlySet<number> = new Set();

/** A meter over a value that came, stood in the context and left, and then that many more requests. */
function leftFor(turns: number): RegretMeter {
  const meter = new RegretMeter();
  meter.request([7], HERE);
  for (let turn = 0; turn <= turns; turn++) meter.request([], GONE);
  return meter;
}

describe("regret", () => {
  test.each([0, 1, 9, 10])("is a need missed %i turns after its value left", (turns) => {
    const meter = leftFor(turns);
    meter.missed(need(7), "read_file");
    expect(meter.regret).toMatchObject({ needs: 1, weight: 0.5 });
  });

  test("is none after more than ten turns", () => {
    const meter = leftFor(11);
    meter.missed(need(7), "read_file");
    expect(meter.regret).toMatchObject({ needs: 0, weight: 0 });
  });

  test("counts from when the value left the last time", () => {
    const meter = leftFor(11);
    meter.request([], HERE);
    meter.request([], GONE);
    meter.missed(need(7), "read_file");
    expect(meter.regret.needs).toBe(1);
  });

  test("is also for what was cut before the first request that could have shown it", () => {
    const meter = new RegretMeter();
    meter.request([7], GONE);
    meter.missed(need(7), "read_file");
    expect(meter.regret.needs).toBe(1);
  });

  test("is told by the source of the value", () => {
    const meter = leftFor(1);
    meter.missed(need(7, 0.5), "read_file");
    meter.missed(need(7, 0.25), "assistant");
    meter.missed(need(7, 0.25), "read_file");
    expect([...meter.regret.bySource]).toEqual([
      ["read_file", { needs: 2, weight: 0.75 }],
      ["assistant", { needs: 1, weight: 0.25 }],
    ]);
  });
});
