import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokensByComponent } from "../../src/budget/index.ts";
import { COMPONENTS } from "../../src/model/block.ts";
import { own, WINDOW_BY_WINDOW, workedSession, workStep } from "../support/windowed-session.ts";

const sum = (components: Partial<Record<string, number>>) =>
  Object.values(components).reduce<number>((all, tokens) => all + (tokens ?? 0), 0);

describe("the points of a trend", () => {
  it("tell the tokens by component, and they add up to the reading", async () => {
    const host = await workedSession({ steps: 6 });
    const { points } = await host.call("trend.report", own);
    expect(points.length).toBeGreaterThan(5);
    for (const { components, tokens } of points) expect(sum(components)).toBe(tokens);
    const last = points.at(-1)?.components;
    expect(last?.tool_results).toBeGreaterThan(last?.message_history as number);
    expect(last?.system_prompt).toBeGreaterThan(0);
  });

  it("agree with budget.report, which adds up to the same total", async () => {
    for (const reported of [undefined, 9_001, 12_345]) {
      const host = await workedSession({ steps: 5 });
      await host.call("on_turn_start", { ...own, ...(reported ? { model_reported: { input_tokens: reported } } : {}) });
      const last = (await host.call("trend.report", own)).points.at(-1);
      const { components } = await host.call("budget.report", own);
      const { output_reserved: _, ...held } = components as Record<string, { used_tokens: number }>;
      const used = Object.fromEntries(Object.entries(held).map(([name, { used_tokens }]) => [name, used_tokens]));
      expect(used).toEqual(last?.components);
      expect(sum(used)).toBe(last?.tokens);
      const { composition } = await host.call("context.get", own);
      expect(composition).toMatchObject({ used_tokens: last?.tokens, components });
    }
  });

  it("are scaled where the provider counts otherwise than we do", async () => {
    const host = await workedSession({ steps: 2 });
    await host.call("on_turn_start", { ...own, model_reported: { input_tokens: 9000 } });
    const last = (await host.call("trend.report", own)).points.at(-1);
    expect(last?.tokens).toBe(9000);
    expect(sum(last?.components ?? {})).toBe(9000);
  });

  it("add up for any count and any reading", () => {
    const counted = fc.dictionary(fc.constantFrom(...COMPONENTS.slice(0, 5)), fc.nat(100_000));
    fc.assert(
      fc.property(counted, fc.nat(2_000_000), (tokens, total) => {
        const components = tokensByComponent(total, tokens);
        if (sum(tokens) === 0) expect(components).toEqual({});
        else expect(sum(components)).toBe(total);
        expect(Object.values(components).every((each) => Number.isInteger(each) && each >= 0)).toBe(true);
      }),
    );
  });

  it("say nothing of components where an older version told the reading", async () => {
    const host = await workedSession({ steps: 2 });
    const rows = host.journal.rows.bind(host.journal);
    host.journal.rows = async (key, options) =>
      (await rows(key, options)).map((row) => ({ ...row, body: row.body.replace(/,"components":\{[^}]*\}/g, "") }));
    const { points } = await host.call("trend.report", own);
    expect(points.map(({ components }) => components)).toEqual(points.map(() => ({})));
  });
});

describe("the windows of a trend", () => {
  it("are the session's chapters, and each point stands in one", async () => {
    const host = await workedSession({ open: { max_context_tokens: 8000, settings: WINDOW_BY_WINDOW } });
    for (let step = 0; step < 30; step++) await workStep(host, step, 700);
    const { points, windows } = await host.call("trend.report", own);
    expect(windows.length).toBeGreaterThan(2);
    expect(windows.map(({ number }) => number)).toEqual(windows.map((_, at) => at + 1));
    expect(windows[0]).toMatchObject({ from_turn: 0, cause: "session", reason: "cross_window_save", max_tokens: 8000 });
    expect(windows.at(-1)).toMatchObject({ to_turn: null, reason: null, cause: "cross_window_save" });
    for (const [at, { to_turn }] of windows.slice(0, -1).entries()) expect(to_turn).toBe(windows[at + 1]?.from_turn);
    for (const { window_number, turn } of points) {
      const window = windows.find(({ number }) => number === window_number);
      expect(turn).toBeGreaterThanOrEqual(window?.from_turn as number);
      expect(turn).toBeLessThanOrEqual(window?.to_turn ?? Number.POSITIVE_INFINITY);
    }
    // The turn that opened the second window was measured in the first before, and in the second after.
    const both = points.filter(({ turn }) => turn === windows[1]?.from_turn).map(({ window_number }) => window_number);
    expect(both[0]).toBe(1);
    expect(both.at(-1)).toBe(2);
  });

  it("follow a window that was resized", async () => {
    const host = await workedSession({ steps: 1 });
    await host.call("on_turn_start", { ...own, model_reported: { window_tokens: 64_000 } });
    expect((await host.call("trend.report", own)).windows).toMatchObject([{ number: 1, max_tokens: 64_000 }]);
  });
});
