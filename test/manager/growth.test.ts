import { describe, expect, it } from "vitest";
import { TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const WINDOW = 40_000;

/** Turns of one result each that is too large for the window; answers the readings at the start of each. */
async function turnsOfLargeResults(ingestMethod: "head_tail" | "structured", turns: number) {
  const host = new TestManager();
  await host.call("session.open", {
    ...session,
    model: "gpt-4o",
    max_context_tokens: WINDOW,
    settings: { compression: { ingest_method: ingestMethod, ingest_max_tokens: 2_000 } },
  });
  const readings = [];
  for (let number = 1; number <= turns; number++) {
    const messages = number === 1 ? [wire.openai.user("Mend the parser.")] : [];
    readings.push((await host.call("on_turn_start", { ...session, messages })).reading);
    const id = `call_${number}`;
    const message = wire.openai.answer("I look.", [{ id, name: "cat", input: { path: `${number}.log` } }]);
    await host.call("on_turn_end", { ...session, message });
    const content = prose(24_000, `line of ${number}`);
    const reply = await host.call("on_tool_result", { ...session, tool_call_id: id, tool_name: "cat", content });
    expect(reply.action).not.toBe("kept");
  }
  return { host, readings };
}

describe("a result that is cut as it comes in", () => {
  for (const method of ["head_tail", "structured"] as const) {
    it(`is growth of what is left of it, by ${method}`, async () => {
      const { host, readings } = await turnsOfLargeResults(method, 4);
      const [first, second, , fourth] = readings.map(({ tokens }) => tokens) as [number, number, number, number];
      const measured = host.published("pressure.measured").filter(({ moment }) => moment === "turn");
      expect(measured[1]?.growth_tokens).toBe(second - first);
      const gained = (fourth - first) / 3;
      expect(gained).toBeLessThan(2_200);
      const { velocity_tokens_per_turn: velocity, turns_until_red: until } = readings[3] ?? {};
      expect(velocity).toBeCloseTo(gained, -1);
      expect(until).toBeGreaterThan(10);
    });

    it(`makes no burn rate and no spike of what stood in no prompt, by ${method}`, async () => {
      const { host } = await turnsOfLargeResults(method, 4);
      const { components } = await host.call("budget.report", session);
      const results = components["tool_results"] as { burn_rate: number };
      expect(results.burn_rate).toBeGreaterThan(0);
      expect(results.burn_rate).toBeLessThan(2_200);
      expect(host.published("velocity.spiked")).toEqual([]);
      const { tokens_arrived: arrived } = await host.call("session.get", session);
      expect(arrived).toBeLessThan(4 * 2_200);
    });
  }
});
