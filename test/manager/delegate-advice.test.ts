import { describe, expect, it } from "vitest";
import type { Advice } from "../../src/manager/advice.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "s" };
const WINDOW = 16_000;
const TODO = "Mend rounding in src/billing/totals.ts";

/** A session whose passes may not touch what tools answered: about `tokens` of it, on two matters one after the other. */
async function stuck(tokens: number, settings: JsonObject = {}) {
  const host = new TestManager();
  const eviction = { protected_types: ["tool_result", "assistant_response"] };
  const opened = { ...session, model: "gpt-4o", max_context_tokens: WINDOW, settings: { eviction, ...settings } };
  await host.call("session.open", opened);
  await host.call("task.update", { ...session, subtasks: [{ id: "t1", title: TODO, status: "in_progress" }] });
  const matters = [
    ["src/parser/lexer.ts", "src/parser/tokens.ts"],
    ["src/billing/totals.ts", "src/billing/rounding.ts"],
  ];
  const history: JsonObject[] = [wire.openai.user("Two faults were reported: mend both.")];
  for (const [at, files] of matters.entries()) {
    for (let step = 0; step < 6; step++) {
      const call = { id: `call_${at}_${step}`, name: "read_file", input: { path: files[step % 2] ?? "" } };
      history.push(wire.openai.answer(`I look at ${files.join(" and ")} again.`, [call]));
      history.push(...wire.openai.results([{ id: call.id, content: prose(tokens / 12, `step ${at} ${step}`) }]));
    }
  }
  history.push(wire.openai.user("Go on."));
  const { advice } = await host.call("on_turn_start", { ...session, history });
  return { host, advice: advice as unknown as Advice[] };
}

const delegateIn = (advice: readonly Advice[]) =>
  advice.find((each): each is Extract<Advice, { kind: "delegate" }> => each.kind === "delegate");

describe("the advice to delegate", () => {
  it("is given where what must stay keeps the cascade from freeing enough, and opens a delegation as it is", async () => {
    const { host, advice } = await stuck(15_000);
    expect(host.published("compaction.failed")).toHaveLength(1);
    const delegate = delegateIn(advice);
    expect(delegate?.sentence).toContain("open it with delegation.open");
    const { title, goal, files, tokens, units } = delegate?.subtask ?? {};
    expect({ title, goal }).toEqual({ title: TODO, goal: TODO });
    expect(files).toEqual(["src/billing/totals.ts", "src/billing/rounding.ts"]);
    expect(units).toBeGreaterThanOrEqual(5);
    expect(tokens).toBeGreaterThan(4_000);
    const opened = await host.call("delegation.open", { ...session, title, goal, files });
    expect(opened.task).toMatchObject({ goal: TODO, files });
  });

  it("is not given where there is room, or where the cascade has no such step", async () => {
    expect(delegateIn((await stuck(6_000)).advice)).toBeUndefined();
    const cascade = { "0.75": "tool_result_summarization" };
    const { host, advice } = await stuck(15_000, { compression: { cascade } });
    expect(host.published("compaction.failed")).toHaveLength(1);
    expect(delegateIn(advice)).toBeUndefined();
  });
});
