import type { JsonObject } from "../../src/model/json.ts";
import { type ManagerOptions, type Params, TestManager } from "./manager.ts";
import { prose, wire } from "./wire-messages.ts";

/** The session that `workedSession` opens. */
export const own = { session_id: "s" } as const;

export const TASK = {
  goal: "Mend the parser of the config.",
  success_criteria: ["The tests pass."],
  constraints: ["Do not touch the lexer."],
} as const;

/** No eviction within a window: at .95 it is closed and the next one opened. */
export const WINDOW_BY_WINDOW = { eviction: { policy: "none" }, cross_window: { enabled: true } } as const;

export interface Worked {
  /** Model calls that were answered, each with a tool's result of `resultTokens`. */
  readonly steps?: number;
  readonly resultTokens?: number;
  /** Over the parameters of session.open. */
  readonly open?: Params;
  readonly manager?: ManagerOptions;
}

/** A session that was told its task and worked on it; its last turn is open, and a model call is under way. */
export async function workedSession({
  steps = 0,
  resultTokens = 400,
  open,
  manager,
}: Worked = {}): Promise<TestManager> {
  const host = new TestManager(manager);
  await host.call("session.open", {
    ...own,
    model: "gpt-4o",
    max_context_tokens: 32_000,
    system: "Be careful.",
    task: TASK,
    ...open,
  });
  await host.call("on_turn_start", { ...own, messages: [wire.openai.user(TASK.goal)] });
  for (let step = 0; step < steps; step++) await workStep(host, step, resultTokens);
  return host;
}

/** One more step of it: the answer to the model call under way, its tool's result, the next turn's start. */
export async function workStep(host: TestManager, step: number, resultTokens = 400, window: Params = {}) {
  const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
  await host.call("on_turn_end", { ...own, ...window, message: wire.openai.answer("I look.", [call]) });
  const content = prose(resultTokens, `step ${step}`);
  await host.call("on_tool_result", { ...own, ...window, tool_call_id: call.id, tool_name: "bash", content });
  return host.call("on_turn_start", { ...own, ...window });
}

/** The document of a checkpoint; default: the newest. */
export async function documentOf(host: TestManager, params: Params = own): Promise<JsonObject> {
  const { document } = await host.call("checkpoint.get", params);
  return document as JsonObject;
}
