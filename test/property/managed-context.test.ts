import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnyCommand } from "../../src/manager/commands/command.ts";
import { commands } from "../../src/manager/commands/index.ts";
import type { Hook } from "../../src/manager/hook.ts";
import type { Session } from "../../src/manager/session.ts";
import { messageFormats } from "../../src/messages/index.ts";
import { type Block, componentOf } from "../../src/model/block.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { textOf } from "../../src/model/part.ts";
import { type AgentRun, anyRun } from "../support/agent-run.ts";
import type { HandedContext } from "../support/handed-context.ts";
import { TestManager } from "../support/manager.ts";
import { SimulatedAgent, type TurnReply } from "../support/simulated-agent.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";
const CASES = LONG ? 50_000 : 1_000;
/** Cases in which each seeded bug must be found. */
const CONTROL_CASES = 400;
const MOST_STEPS = 200;
/** Handles recalled at the end of a run. */
const RECALLED = 5;

/** Plays a run and holds everything that is promised about any run against it. */
async function promisesHold(run: AgentRun, seeded: Readonly<Record<string, AnyCommand>> = {}): Promise<void> {
  const host = new TestManager({ checkReplies: false, snapshotEvery: 7, seeded });
  const agent = new SimulatedAgent(host, run.setup, {
    context: (context, reply) => {
      contextHolds(agent, context);
      if (reply) readingHolds(reply);
    },
  });
  try {
    await agent.open();
    for (const step of run.steps) await agent.take(step);
    await stateHolds(agent);
  } finally {
    await agent.host.manager.stop();
  }
}

function contextHolds(agent: SimulatedAgent, context: HandedContext): void {
  const { setup, system, task, thought } = agent;
  expect(messageFormats[setup.format].check(context), "the provider takes the context").toEqual([]);
  expect(context.ids.length, "each message has its id").toBe(context.messages.length);
  if (system !== null) {
    const stands = setup.format === "anthropic" ? context.system : context.messages[0]?.["content"];
    expect(stands, "the system prompt is as it was said").toBe(system);
  }
  const said = JSON.stringify(task);
  expect(
    context.messages.some((message) => JSON.stringify(message) === said),
    "the task is as it was said",
  ).toBe(true);
  for (const message of context.messages) {
    for (const part of thinkingIn(message)) expect(thought.has(part), "thinking is as it was said").toBe(true);
  }
}

/** JSON of the thinking in a wire message, in either format. */
function thinkingIn(message: JsonObject): string[] {
  const { content, reasoning_content: reasoning } = message;
  const field = reasoning === undefined ? [] : [JSON.stringify({ reasoning_content: reasoning })];
  if (!Array.isArray(content)) return field;
  const parts = content.filter((part) =>
    ["thinking", "redacted_thinking"].includes(String((part as JsonObject)["type"])),
  );
  return [...field, ...parts.map((part) => JSON.stringify(part))];
}

function readingHolds({ reading, advice }: TurnReply): void {
  if (reading.tokens <= reading.max_tokens) return;
  expect(
    advice.map((each) => each.kind),
    `${reading.tokens} tokens in a window of ${reading.max_tokens} are explained by the floor`,
  ).toContain("floor");
}

async function stateHolds(agent: SimulatedAgent): Promise<void> {
  const session = await agent.host.session(agent.id);
  const shown = await agent.host.call("context.get", { session_id: agent.id });
  tokensAddUp(session);
  expect(shown.raw_tokens, "what is in memory is what is in the journal").toBe(session.rawTokens);
  for (const block of session.blocks.values()) {
    if (block.type === "thinking") expect(block.partHash, "thinking is never edited").toBe(block.hash);
  }
  for (const [id, state] of agent.pinned) {
    const block = session.blocks.get(id);
    // Who takes a message out of its own list takes its pin out too.
    if (!block && agent.rewrote) continue;
    expect(block, `pinned ${id} is in the context`).toBeDefined();
    expect(block?.state, `pinned ${id} is as it was`).toBe(state);
    if (state === "whole") expect(block?.partHash).toBe(block?.hash);
  }
  for (const handle of agent.handles.slice(-RECALLED)) {
    expect(agent.said.has(unframed(await agent.recall(handle))), "a handle gives back what was said").toBe(true);
  }
}

/** What was brought back stands in a frame that says so, and goes with it when it goes again. */
function unframed(text: string): string {
  return /^<restored (\w+)>[^\n]*\n(.*)\n<\/restored \1>$/s.exec(text)?.[2] ?? text;
}

function tokensAddUp(session: Session): void {
  const blocks = [...session.blocks.values()];
  const overhead = session.messages.reduce((sum, message) => sum + message.overheadTokens, 0);
  expect(blocks.reduce((sum, block) => sum + block.tokens, overhead)).toBe(session.rawTokens);
  const byComponent = Object.values(session.componentTokens).reduce((sum, tokens) => sum + tokens, 0);
  expect(byComponent, "the components are the whole").toBe(session.rawTokens);
  for (const unit of session.units.values()) {
    expect(unit.blocks.reduce((sum, block) => sum + block.tokens, 0)).toBe(unit.tokens);
  }
  const results = blocks.filter((block) => componentOf(block.type) === "tool_results");
  expect(results.reduce((sum, block) => sum + block.tokens, 0)).toBe(session.componentTokens.tool_results);
}

/** on_turn_start with a bug behind it. */
function seededTurnStart(bug: (hook: Hook) => void): Record<string, AnyCommand> {
  const real: AnyCommand = commands.on_turn_start;
  return {
    on_turn_start: {
      ...real,
      decide(hook, params, given) {
        const reply: unknown = real.decide(hook, params, given);
        bug(hook);
        return reply;
      },
    },
  };
}

function evict(hook: Hook, block: Block | undefined, replacement: string | null): void {
  if (!block) return;
  const part = replacement === null ? null : { ...block.part, text: replacement };
  const tokens = part === null ? 0 : hook.services.countPart(part as Block["part"]).tokens;
  hook.emit("block.evicted", {
    block_id: block.id,
    unit_id: block.unitId,
    pass_id: "seeded",
    block_type: block.type,
    tool_name: null,
    method: "drop",
    policy: "seeded",
    score: 0,
    score_parts: {},
    rule: "seeded",
    tokens_before: block.tokens,
    tokens_after: tokens,
    tokens_freed: block.tokens - tokens,
    handle: block.handle,
    replacement_hash: part === null ? null : hook.store(part as Block["part"]),
    state: "cleared",
    turn: hook.session.turn,
  });
}

function blockOf(hook: Hook, matches: (block: Block) => boolean): Block | undefined {
  return [...hook.session.blocks.values()].find(matches);
}

/** Bugs that the property must find: if it stays green with one of them, it proves nothing. */
const BUGS: Readonly<Record<string, (hook: Hook) => void>> = {
  "a result leaves without its call": (hook) =>
    evict(
      hook,
      blockOf(hook, (block) => block.type === "tool_result"),
      null,
    ),
  "the task is dropped": (hook) => {
    const task = hook.session.messages.find((message) => message.role === "user");
    for (const block of [...(task?.blocks ?? [])]) evict(hook, block, null);
  },
  "thinking is shortened": (hook) => {
    const block = blockOf(hook, ({ part }) => part.kind === "thinking" && textOf(part) !== "");
    if (!block) return;
    const part = { ...block.part, text: "hm", wire: { type: "thinking", thinking: "hm", signature: "c2lnbmF0dXJl" } };
    evict(hook, { ...block, part }, "hm");
  },
  "a pinned block goes": (hook) =>
    evict(
      hook,
      blockOf(hook, (block) => block.pinned),
      null,
    ),
  "tokens are counted twice": (hook) => {
    if (hook.session.turn === 2) hook.session.rawTokens += 1;
  },
};

describe("a managed context", () => {
  it(`keeps every promise in ${CASES} runs of any agent, policy and window`, async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(MOST_STEPS), (run) => promisesHold(run)),
      { numRuns: CASES, interruptAfterTimeLimit: LONG ? 7_000_000 : 280_000, markInterruptAsFailure: true },
    );
  });

  for (const [name, bug] of Object.entries(BUGS)) {
    it(`would not keep them if ${name} (control)`, async () => {
      const seeded = seededTurnStart(bug);
      const outcome = await fc.check(
        fc.asyncProperty(anyRun(40), (run) => promisesHold(run, seeded)),
        { numRuns: CONTROL_CASES, endOnFailure: true },
      );
      expect(outcome.failed, "the seeded bug is found").toBe(true);
    });
  }
});
