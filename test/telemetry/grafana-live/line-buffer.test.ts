import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Batch, LineBuffer } from "../../../src/telemetry/grafana-live/line-buffer.ts";

describe("LineBuffer", () => {
  it("keeps lines in order within its bound, and counts each line that it loses", () => {
    const steps = fc.array(fc.constantFrom("push", "push", "push", "take", "give back", "succeed"), { maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 20 }), (run, capacity) => {
        const buffer = new LineBuffer(capacity);
        const delivered: number[] = [];
        let pushed = 0;
        let batch: Batch | null = null;
        for (const step of run) {
          if (step === "push") buffer.push(String(pushed++));
          else if (step === "take") batch ??= buffer.take();
          else if (batch !== null) {
            if (step === "give back") buffer.giveBack(batch);
            else delivered.push(...batch.lines.map(Number));
            batch = null;
          }
          expect(buffer.size).toBeLessThanOrEqual(capacity);
          const held = buffer.size + (batch?.lines.length ?? 0);
          expect(delivered.length + buffer.dropped + held).toBe(pushed);
        }
        expect(delivered).toEqual([...new Set(delivered)].sort((a, b) => a - b));
      }),
    );
  });

  it("bounds a batch in lines and in bytes, and a line that is longer goes alone", () => {
    const buffer = new LineBuffer(2_000);
    for (let n = 0; n < 600; n++) buffer.push("x");
    expect(buffer.take()?.lines).toHaveLength(500);
    expect(buffer.take()?.lines).toHaveLength(100);
    for (const size of [40_000, 40_000, 100_000, 1]) buffer.push("y".repeat(size));
    expect([buffer.take(), buffer.take(), buffer.take(), buffer.take()].map((batch) => batch?.lines.length)).toEqual([
      1, 1, 1, 1,
    ]);
    expect(buffer.take()).toBeNull();
  });

  it("counts what it is told to give up, and all that is left when it is cleared", () => {
    const buffer = new LineBuffer(10);
    for (let n = 0; n < 3; n++) buffer.push("x");
    buffer.giveUp(buffer.take() as Batch);
    buffer.push("y");
    buffer.clear();
    expect(buffer).toMatchObject({ dropped: 4, size: 0 });
  });
});
