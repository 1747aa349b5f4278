import { afterEach, describe, expect, it, vi } from "vitest";
import { LlmTally } from "../../src/telemetry/llm-tally.ts";
import { ProcessWatch } from "../../src/telemetry/process-watch.ts";
import { VirtualClock } from "../support/manager.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("the watch over the process", () => {
  it("keeps an hour of readings, tells 120 at most, and the one of now as the last", () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let beside = 0;
    const clock = new VirtualClock();
    const watch = new ProcessWatch(clock, () => ++beside);
    expect(watch.read().map((reading) => reading.beside)).toEqual([1]);
    for (let n = 0; n < 500; n++) {
      clock.advance(10_000);
      vi.advanceTimersByTime(10_000);
    }
    const readings = watch.read();
    expect(readings.length).toBeLessThanOrEqual(120);
    expect(readings.length).toBeGreaterThan(80);
    expect(readings.at(-1)?.at).toBe(clock.now());
    expect((readings.at(-1)?.at ?? 0) - (readings[0]?.at ?? 0)).toBeLessThanOrEqual(3_600_000);
    expect(readings.every(({ rssBytes, loopP99Ms }) => rssBytes > 0 && loopP99Ms >= 0)).toBe(true);
    watch.close();
    vi.advanceTimersByTime(60_000);
    expect(beside).toBe(502);
  });
});

describe("the tally of helping models", () => {
  it("counts calls by role and model, failures by reason, and cost where it is known", () => {
    const tally = new LlmTally();
    const call = { role: "summarizer", provider: "openai", model: "m", operation: "chat", attempts: 1 } as const;
    tally.observe({ ...call, outcome: "ok", seconds: 2, inputTokens: 100, outputTokens: 10, usd: 0.5 });
    tally.observe({ ...call, outcome: "timeout", seconds: 4, inputTokens: null, outputTokens: null, usd: null });
    tally.observe({ ...call, role: "judge", outcome: "ok", seconds: 1, inputTokens: 5, outputTokens: 5, usd: null });
    expect(tally.read()).toEqual([
      {
        role: "summarizer",
        provider: "openai",
        model: "m",
        calls: 2,
        failures: { timeout: 1 },
        meanSeconds: 3,
        inputTokens: 100,
        outputTokens: 10,
        usd: 0.5,
      },
      {
        role: "judge",
        provider: "openai",
        model: "m",
        calls: 1,
        failures: {},
        meanSeconds: 1,
        inputTokens: 5,
        outputTokens: 5,
        usd: null,
      },
    ]);
  });
});
