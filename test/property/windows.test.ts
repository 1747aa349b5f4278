import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextdError } from "../../src/model/errors.ts";
import { type Params, TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const s = { session_id: "s" };
const open = { ...s, model: "gpt-4o", max_context_tokens: 4_096, system: "Be careful.", task: { goal: "Go." } };
const STEPS = ["turn", "window", "save", "load", "task", "overflow", "restart", "late"] as const;

/** One step; what is refused for a reason of its own is a step too. */
async function take(host: TestManager, step: (typeof STEPS)[number], at: number): Promise<TestManager> {
  if (step === "restart") return host.restarted();
  const { windowId } = await host.session("s");
  const call = async (name: Parameters<TestManager["call"]>[0], params: Params) => {
    try {
      await host.call(name, { ...s, ...params });
    } catch (error) {
      if (!(error instanceof ContextdError)) throw error;
      return error;
    }
    return null;
  };
  if (step === "turn") {
    await call("on_turn_start", { messages: [wire.openai.user(prose(300, `ask ${at}`))], window_id: windowId });
    await call("on_turn_end", { message: wire.openai.answer(prose(300, `say ${at}`)) });
  } else if (step === "window") await call("window.open", {});
  else if (step === "save") await call("checkpoint.save", {});
  else if (step === "task") await call("task.update", { next_step: `step ${at}` });
  else if (step === "overflow") await call("on_overflow", { provider_error: "prompt is too long" });
  else if (step === "load") {
    const error = await call("checkpoint.load", { checkpoint_id: "c1" });
    expect(error?.reason, "what the session saved itself is old to it").toMatch(
      /stale_checkpoint|checkpoint_not_found/,
    );
  } else {
    const error = await call("on_turn_start", { messages: [], window_id: "s#0" });
    expect(error?.code).toBe(-32002);
  }
  return host;
}

describe("windows of a session", () => {
  it("only rise with their versions, one is current, and a restart changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 5, maxLength: 25 }), async (steps) => {
        let host = new TestManager({ checkReplies: false, snapshotEvery: 4 });
        await host.call("session.open", open);
        let before = await host.session("s");
        for (const [at, step] of steps.entries()) {
          host = await take(host, step, at);
          const now = await host.session("s");
          expect(now.windowNumber).toBeGreaterThanOrEqual(before.windowNumber);
          expect(now.stateVersion).toBeGreaterThanOrEqual(before.stateVersion);
          expect(now.windowId).toBe(`s#${now.windowNumber}`);
          const known = ({ windowId, stateVersion, revision, checkpoints }: typeof now) => ({
            windowId,
            stateVersion,
            revision,
            checkpoints,
          });
          if (step === "restart" || step === "late") expect(known(now).windowId).toBe(known(before).windowId);
          if (step === "restart") expect(known(now)).toEqual(known(before));
          before = now;
        }
        await host.manager.stop();
      }),
      { numRuns: process.env["CONTEXTD_LONG"] === "1" ? 1_000 : 40 },
    );
  });

  it("are opened by one of two that race at a revision", async () => {
    const host = new TestManager({ checkReplies: false });
    await host.call("session.open", open);
    await host.call("on_turn_start", { ...s, messages: [wire.openai.user(prose(600, "ask"))] });
    await host.call("on_turn_end", { ...s, message: wire.openai.answer("Done.") });
    const { revision, windowId } = await host.session("s");
    const expected = { ...s, expected_revision: revision, window_id: windowId };
    const results = await Promise.allSettled([
      host.call("window.open", expected),
      host.call("window.open", expected),
      host.call("on_turn_start", { ...expected, messages: [wire.openai.user("Go on.")] }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    for (const result of results) if (result.status === "rejected") expect(result.reason.code).toBe(-32002);
    expect((await host.session("s")).windowNumber).toBe(2);
    await host.manager.stop();
  });
});
