import { describe, expect, it } from "vitest";
import { type PaybackInput, paybackOf } from "../../../src/manager/explain/payback.ts";
import type { EventData, GateFigures } from "../../../src/model/events.ts";
import { GATE } from "../../support/published-event.ts";

/** Frees 10,000 tokens, which cost 0.1 each a turn; 4,600 tokens are written anew at 1.25 instead of 0.1. */
const gate: GateFigures = {
  ...(GATE as GateFigures),
  ...{ read_price: 0.1, write_price: 1.25, tokens_freed: 10_000, tokens_rewritten: 4_000, cost: 4_600 },
};

const ended = (turn: number, figures: Partial<EventData["turn.ended"]>): EventData["turn.ended"] => ({
  ...{ turn, stop_reason: null, input_tokens: null, output_tokens: null, estimated_tokens: 0, prompt_tokens: null },
  ...{ cache_read_input_tokens: null, cache_creation_input_tokens: null },
  ...figures,
});
const reported = (turn: number, prompt: number, read: number, created: number | null = prompt - read) =>
  ended(turn, { prompt_tokens: prompt, cache_read_input_tokens: read, cache_creation_input_tokens: created });

const payback = (over: Partial<PaybackInput>) =>
  paybackOf({
    ...{ gate, tokensFreed: 10_000, course: { turn: 7, turnOpen: true, promptTokens: 20_000 }, turns: [] },
    ...{ cameBack: [], ...over },
  });
const measured = (over: Partial<PaybackInput>) =>
  payback(over)?.points.flatMap((point) => (point.measured === null ? [] : Math.round(point.measured)));

describe("the payback of a pass", () => {
  it("is forecast by what it frees a turn, from the turn whose prompt it left on", () => {
    const told = payback({});
    expect(told?.points.slice(0, 5).map(({ turn, forecast }) => [turn, Math.round(forecast)])).toEqual([
      [7, -3_600],
      [8, -2_600],
      [9, -1_600],
      [10, -600],
      [11, 400],
    ]);
    expect(told?.paid_back_turn).toBeNull();
    const between = payback({ course: { turn: 7, turnOpen: false, promptTokens: null } });
    expect(between?.points[0]?.turn).toBe(8);
  });

  it("is nothing without the gate's figures, and ends where it never pays", () => {
    expect(payback({ gate: null })).toBeNull();
    expect(payback({ gate: { ...gate, tokens_freed: 0 } })?.points).toHaveLength(10);
    expect(payback({ gate: { ...gate, cost: 1e9 } })?.points).toHaveLength(100);
  });

  it("is what the forecast says where the provider reports just that", () => {
    // A prompt of 10,000, of which 6,000 are read; then all of it but the 500 that are new.
    const turns = [reported(7, 10_000, 6_000), reported(8, 10_500, 10_000), reported(9, 11_000, 10_500)];
    expect(measured({ turns })).toEqual([-3_600, -2_600, -1_600]);
  });

  it("tells the first turn in which it had paid", () => {
    const turns = Array.from({ length: 6 }, (_, at) => reported(7 + at, 10_000, at === 0 ? 6_000 : 10_000));
    expect(payback({ turns })?.paid_back_turn).toBe(11);
  });

  it("counts what came back as a cost: without the pass it would have been there", () => {
    const turns = [reported(7, 10_000, 6_000), reported(8, 12_000, 10_000), reported(9, 12_000, 12_000)];
    const cameBack = [{ turn: 7, tokens: 2_000 }];
    // What came back is written once in turn 8, and read in turn 9: both is lost against a prompt that still held it.
    expect(measured({ turns, cameBack })).toEqual([-3_600, -3_600 + 1_000 - 2_500, -5_100 + 1_000 - 200]);
  });

  it("is not measured from the first turn on of which the provider tells nothing", () => {
    const turns = [reported(7, 10_000, 6_000), ended(8, { prompt_tokens: 10_000 }), reported(9, 10_000, 10_000)];
    expect(measured({ turns })).toEqual([-3_600]);
  });

  it("counts new tokens at the price of fresh ones where the provider does not report what it caches", () => {
    const turns = [reported(7, 10_000, 6_000, null)];
    expect(measured({ turns })).toEqual([Math.round(20_000 * 0.1 - 600 - 4_000)]);
  });
});
