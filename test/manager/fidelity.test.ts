import { describe, expect, it } from "vitest";
import { judgePass, tellJudgement, weighPass } from "../../src/manager/passes/fidelity.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { dropping, evictingManager } from "../support/evicting-manager.ts";
import { type ManagerOptions, refused, type TestManager } from "../support/manager.ts";
import { wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const GOAL = "Find which connector drops invoices, and mend it.";
const CONSTRAINT = "Answer in German.";

interface Story {
  readonly host: TestManager;
  /** Drops the result of a step and what else is in its unit, and goes on to the next turn. */
  fold(...steps: readonly number[]): Promise<void>;
}

/** A session of eight steps, each with a file, an error and a decision of its own. Passes are judged as `by` does it. */
async function worked(settings: JsonObject = {}, options: ManagerOptions = {}, by = judgePass): Promise<Story> {
  const { host, order } = evictingManager(options, (hook, passages) => {
    by(hook, `p${hook.session.turn}`, passages, "none");
  });
  const task = { goal: GOAL, success_criteria: [], constraints: [CONSTRAINT] };
  await host.call("session.open", { ...session, model: "gpt-4o", max_context_tokens: 100_000, task, settings });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user(`${GOAL} ${CONSTRAINT}`)] });
  for (let step = 0; step < 8; step++) {
    const call = { id: `call_${step}`, name: "write_file", input: { path: `src/connector_${step}x.ts`, content: "x" } };
    const text = `I decided to move counter_${step}x into the lease instead of patching the loop.`;
    await host.call("on_turn_end", { ...session, message: wire.openai.answer(text, [call]) });
    const content = `TypeError: cannot read attempts of lease_${step}x\nexit code 1`;
    await host.call("on_tool_result", { ...session, tool_call_id: call.id, tool_name: "write_file", content });
    await host.call("on_turn_start", session);
  }
  return {
    host,
    async fold(...steps) {
      const blocks = [...host.live("s").blocks.values()];
      const ids = steps.map((step) => blocks.find((block) => block.tool?.callId === `call_${step}`)?.id ?? "");
      order.push(...dropping(host.live("s"), ...ids));
      await host.call("on_turn_end", { ...session, message: wire.openai.answer("So far so good.") });
      await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Go on.")] });
    },
  };
}

describe("a pass", () => {
  it("is held to the facts of what it took out, and to the task", async () => {
    const { host, fold } = await worked();
    await fold(1);
    const [event, ...others] = host.published("fidelity.evaluated");
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      ...{ judge: "lexical", summarizer: "none", generation: 1, curve: [], floor: 0.6, probes: 5, kept: 2 },
      by_type: { goal: 1, constraint: 1, file: 0, error: 0, decision: 0 },
    });
    expect(event?.score).toBeCloseTo(2 / 5);
    expect(event?.below_floor).toBe(true);
  });

  it("keeps what the context still tells elsewhere", async () => {
    const { host, fold } = await worked();
    const message = wire.openai.answer("src/connector_2x.ts fails: TypeError: cannot read attempts of lease_2x");
    await host.call("on_turn_end", { ...session, message });
    await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Go on.")] });
    await fold(2);
    expect(host.published("fidelity.evaluated")[0]).toMatchObject({
      by_type: { file: 1, error: 1, decision: 0 },
      below_floor: false,
    });
  });

  it("asks again what earlier passes were asked for", async () => {
    const { host, fold } = await worked();
    await fold(1);
    await fold(2, 3);
    await fold(4);
    const events = host.published("fidelity.evaluated");
    expect(events.map(({ generation }) => generation)).toEqual([1, 2, 3]);
    expect(events[2]?.curve).toEqual([
      { age: 1, score: 2 / 5, probes: events[1]?.probes },
      { age: 2, score: 2 / 5, probes: events[0]?.probes },
    ]);
  });

  it.each([1, 1_000])("is remembered over a restart, with a snapshot every %i rows", async (snapshotEvery) => {
    const { host, fold } = await worked({}, { snapshotEvery });
    await fold(1);
    await fold(2);
    const { fidelity } = host.live("s");
    expect(fidelity.generations.kept).toHaveLength(2);
    expect(fidelity.last).toMatchObject({ generation: 2, judge: "lexical" });
    expect((await host.session("s")).fidelity).toEqual(fidelity);
    await host.manager.stop();
  });

  it("is not judged where fidelity is off, or where nothing left", async () => {
    const off = await worked({ fidelity: { enabled: false } });
    await off.fold(1);
    expect(off.host.published("fidelity.evaluated")).toEqual([]);
    const idle = await worked({}, {}, (hook, passId) => judgePass(hook, passId, [], "none"));
    await idle.fold(1);
    expect(idle.host.published("fidelity.evaluated")).toEqual([]);
  });

  it("is asked for as many facts of a type as are configured, and measured by the floor that is", async () => {
    const { host, fold } = await worked({ fidelity: { probes_per_type: 2, floor: 0.3 } });
    await fold(1, 2, 3, 4);
    expect(host.published("fidelity.evaluated")[0]).toMatchObject({
      probes: 2 + 3 * 2,
      floor: 0.3,
      below_floor: false,
    });
  });

  it("can be weighed without a word of it", async () => {
    const weighed: (number | undefined)[] = [];
    const { host, fold } = await worked({}, {}, (hook, _passId, passages) => {
      const judgement = weighPass(hook, passages);
      weighed.push(judgement?.verdict.score);
      return judgement;
    });
    await fold(1);
    expect(weighed).toEqual([2 / 5]);
    expect(host.published("fidelity.evaluated")).toEqual([]);
    expect(host.live("s").fidelity.last).toBeNull();
  });

  it("that a model judges too is asked again no more often for it", async () => {
    const { host, fold } = await worked({}, {}, (hook, passId, passages, summarizer) => {
      const judgement = judgePass(hook, passId, passages, summarizer);
      const verdict = { score: 0.9, byType: { error: 0.9 }, kept: [true] };
      tellJudgement(hook, { pass_id: passId, summarizer, generation: judgement?.generation ?? 0, verdict });
      return judgement;
    });
    await fold(1);
    const { generations, last } = host.live("s").fidelity;
    expect(generations).toMatchObject({ generation: 1, kept: [{ generation: 1 }] });
    expect(last).toMatchObject({ judge: "llm", score: 0.9, generation: 1 });
  });
});

const ORIGINAL = [
  "The root cause is the retry loop in settleBatch, because it counts attempts before the lock is taken.",
  "TypeError: cannot read attempts of undefined",
  "Next I will change src/settlement/worker.ts so that the lease counts.",
].join("\n");

describe("fidelity.evaluate", () => {
  it("tells what the passes of a session scored, by type, by age and over time", async () => {
    const { host, fold } = await worked();
    for (const step of [1, 2, 3]) await fold(step);
    const { passes, mean_score, by_type, curve, trend, evaluation } = await host.call("fidelity.evaluate", session);
    const events = host.published("fidelity.evaluated");
    expect(passes.map(({ pass_id }) => pass_id)).toEqual(events.map(({ pass_id }) => pass_id));
    expect(passes[0]).not.toHaveProperty("kept_probes");
    expect(mean_score).toBeCloseTo(2 / 5);
    expect(by_type).toEqual({ goal: 1, constraint: 1, decision: 0, file: 0, error: 0 });
    expect(curve.map(({ age }) => age)).toEqual([1, 2]);
    expect(trend).toBeCloseTo(0);
    expect(evaluation).toBeNull();
  });

  it("tells of one pass, or of the latest ones", async () => {
    const { host, fold } = await worked();
    for (const step of [1, 2, 3]) await fold(step);
    const ids = host.published("fidelity.evaluated").map(({ pass_id }) => pass_id);
    const one = await host.call("fidelity.evaluate", { ...session, pass_id: ids[1] });
    expect(one.passes.map(({ pass_id }) => pass_id)).toEqual([ids[1]]);
    expect(one.trend).toBeNull();
    const latest = await host.call("fidelity.evaluate", { ...session, limit: 2 });
    expect(latest.passes.map(({ pass_id }) => pass_id)).toEqual(ids.slice(1));
  });

  it("has no figures of a session without passes", async () => {
    const { host } = await worked();
    expect(await host.call("fidelity.evaluate", session)).toEqual({
      ...{ passes: [], mean_score: null, by_type: {}, curve: [], trend: null, evaluation: null },
    });
  });

  it("holds one text to another, question by question", async () => {
    const { host } = await worked();
    const compressed = "settleBatch: the retry loop counts attempts before it holds the lock.";
    const { evaluation } = await host.call("fidelity.evaluate", {
      ...session,
      original: ORIGINAL,
      compressed,
      goal: GOAL,
    });
    expect(evaluation).toMatchObject({
      judge: "lexical",
      by_type: { goal: 0, decision: 1, error: 0, file: 0, next_step: 0 },
    });
    const decision = evaluation?.probes.find(({ type }) => type === "decision");
    expect(decision).toMatchObject({ kept: true, score: 1 });
    expect(decision?.facts).toContain("settlebatch");
    const all = await host.call("fidelity.evaluate", { ...session, original: ORIGINAL, compressed: ORIGINAL });
    expect(all.evaluation?.score).toBe(1);
  });

  it("wants both texts or none", async () => {
    const { host } = await worked();
    await expect(host.call("fidelity.evaluate", { ...session, original: ORIGINAL })).rejects.toThrow(/go together/);
    for (const more of [{ compressed: ORIGINAL }, { goal: GOAL }, { constraints: [CONSTRAINT] }, { judge: "llm" }]) {
      await expect(host.call("fidelity.evaluate", { ...session, ...more })).rejects.toThrow(/must be given where/);
    }
  });
});

describe("the judge llm of fidelity.evaluate", () => {
  const texts = { ...session, original: ORIGINAL, compressed: "The lease counts.", judge: "llm" };

  it("is refused where no model is configured, by the key that configures one", async () => {
    const { host } = await worked();
    const error = await refused(host.call("fidelity.evaluate", texts), "invalid_params");
    expect(error.message).toContain("llm.judge");
    expect(error.data).toMatchObject({ path: "judge", config_key: "llm.judge" });
  });

  it("asks the model every question once, and takes its scores", async () => {
    const asked: string[] = [];
    const judge = {
      async complete({ user }: { readonly user: string }) {
        asked.push(user);
        const questions = user.match(/^Question \d+/gm)?.length ?? 0;
        const answers = Array.from({ length: questions }, (_, index) => ({
          question: index + 1,
          score: index === 0 ? 0.25 : 1,
        }));
        return { text: JSON.stringify({ answers }) };
      },
    };
    const { host } = await worked({}, { judge });
    const { evaluation } = await host.call("fidelity.evaluate", texts);
    expect(asked).toHaveLength(1);
    expect(evaluation?.judge).toBe("llm");
    expect(evaluation?.probes.map(({ score }) => score)).toEqual([
      0.25,
      ...(evaluation?.probes ?? []).slice(1).map(() => 1),
    ]);
    expect(evaluation?.probes[0]?.kept).toBe(false);
  });

  it.each([
    ["answers nonsense", () => Promise.resolve({ text: "All is kept!" })],
    ["fails", () => Promise.reject(new Error("connection lost"))],
  ])("says so when the model %s", async (_, complete) => {
    const { host } = await worked({}, { judge: { complete } });
    const error = await refused(host.call("fidelity.evaluate", texts), "overloaded");
    expect(error.message).not.toContain("connection lost");
  });

  it("holds up no other call of the session", async () => {
    let answer: (reply: { text: string }) => void = () => {};
    const complete = () => new Promise<{ text: string }>((resolve) => (answer = resolve));
    const { host } = await worked({}, { judge: { complete } });
    const judged = refused(host.call("fidelity.evaluate", texts), "overloaded");
    await host.call("on_turn_end", { ...session, message: wire.openai.answer("Meanwhile.") });
    expect((await host.call("session.get", session)).session_id).toBe("s");
    answer({ text: "late" });
    await judged;
  });
});
