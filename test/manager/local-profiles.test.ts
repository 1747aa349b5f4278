import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { configWith } from "../config/config-with.ts";
import { TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };

/** With the shares of the window that the system prompt takes: a window of 8k has to leave more of it to the answer. */
const PROFILES = [
  { profile: "local-8k", window: 8_192, forOrange: 0.37, forTwo: 0.6 },
  { profile: "local-32k", window: 32_768, forOrange: 0.46, forTwo: 0.67 },
];

/** A step of the agent's own history, of about so many tokens. */
function step(number: number, tokens: number): JsonObject[] {
  const call = { id: `call_${number}`, name: "read_file", input: { path: `src/part_${number}.ts` } };
  const content = `${prose(tokens, `step ${number}`)}\nError: lease_${number} expired before worker_${number}.ts had it`;
  return [
    wire.openai.answer(`I decided to move counter_${number} into the lease instead of patching loop_${number}.`, [
      call,
    ]),
    ...wire.openai.results([{ id: call.id, content }]),
  ];
}

/**
 * A session of the profile that comes to the daemon full: a system prompt of that share of the window, and so many
 * steps. Answers the calls of the steps that are still whole, and what its passes told.
 */
async function filled(profile: string, window: number, system: number, steps: number) {
  const host = new TestManager({ config: configWith({ profile }) });
  await host.call("session.open", { ...session, model: "gpt-4o", profile, system: prose(system * window, "rule") });
  const history = [
    wire.openai.user("Mend the parser."),
    ...Array.from({ length: steps }, (_, index) => step(index + 1, 0.036 * window - 90)).flat(),
  ];
  const { reading } = await host.call("on_turn_start", { ...session, history });
  const { blocks } = host.live("s");
  const whole = [...blocks.values()].flatMap(({ part, state }) =>
    part.kind === "tool_result" && state === "whole" ? part.callId : [],
  );
  return { host, reading, whole, passes: host.published("history.compacted") };
}

const last = (n: number, of: number) => Array.from({ length: n }, (_, at) => `call_${of - n + at + 1}`);

describe.each(PROFILES)("the profile $profile", ({ profile, window, forOrange, forTwo }) => {
  it("does nothing below 70 %", async () => {
    const { reading, passes } = await filled(profile, window, 0.4, 7);
    expect(reading.utilization).toBeGreaterThan(0.6);
    expect(reading.utilization).toBeLessThan(0.7);
    expect(passes).toEqual([]);
  });

  it("makes room from 70 % on and keeps the last 4 units as they are", async () => {
    const { whole, passes } = await filled(profile, window, forOrange, 9);
    expect(passes).toMatchObject([{ cause: "orange", summarizer: "extractive" }]);
    expect((passes[0]?.tokens_before ?? 0) / window).toBeLessThan(0.85);
    expect(whole).toEqual(last(4, 9));
  });

  it("keeps 2 units where that is not enough", async () => {
    const { whole, passes } = await filled(profile, window, forTwo, 8);
    expect(passes).toMatchObject([{ cause: "red" }, { cause: "red", summarizer: "extractive" }]);
    expect(whole).toEqual(last(2, 8));
  });

  it("writes no summary in the emergency, and holds the one that the window has no room for", async () => {
    const { host, whole, passes } = await filled(profile, window, 0.76, 8);
    expect(passes).toHaveLength(3);
    expect(whole.length).toBeLessThan(2);
    const written = host.published("summary.rewritten");
    expect(written.filter(({ message_id }) => message_id !== null)).toEqual([]);
    expect(written[0]?.held).toContain("## ");
    const last = passes[2]?.pass_id;
    expect(written.filter(({ pass_id, passages }) => pass_id === last && passages > 0)).toEqual([]);
    expect(host.live("s").summary?.held).not.toBeNull();
  });
});
