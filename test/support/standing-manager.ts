import type { AnyCommand } from "../../src/manager/commands/command.ts";
import { commands } from "../../src/manager/commands/index.ts";
import type { Hook } from "../../src/manager/hook.ts";
import { missingConstraints, type RuleFinder } from "../../src/manager/passes/constraints.ts";
import { headOf } from "../../src/manager/passes/own-message.ts";
import { rewriteStanding } from "../../src/manager/passes/standing.ts";
import { passageOf } from "../../src/model/passage.ts";
import { type ManagerOptions, TestManager } from "./manager.ts";

/** What a test orders for the end of the next on_turn_start: a pass that drops these blocks. */
export interface OrderedPass {
  readonly drop?: readonly string[];
  readonly find?: RuleFinder;
}

/** A manager whose on_turn_start does the passes that a test orders, each of which writes the standing message. */
export function standingManager(options: ManagerOptions = {}): { host: TestManager; order: OrderedPass[] } {
  const order: OrderedPass[] = [];
  const real: AnyCommand = commands.on_turn_start;
  const seeded: AnyCommand = {
    ...real,
    decide(hook, params, given) {
      const reply: unknown = real.decide(hook, params, given);
      for (const pass of order.splice(0)) doPass(hook, pass);
      return reply;
    },
  };
  return { host: new TestManager({ ...options, seeded: { on_turn_start: seeded } }), order };
}

function doPass(hook: Hook, { drop = [], find = () => [] }: OrderedPass): void {
  const { session } = hook;
  const passId = `p${session.nextPass}`;
  const before = session.rawTokens;
  const messages = session.messages.length;
  const blocks = drop.flatMap((id) => session.blocks.get(id) ?? []);
  const gone = blocks.map(passageOf);
  for (const block of blocks) {
    hook.emit("block.evicted", {
      block_id: block.id,
      unit_id: block.unitId,
      pass_id: passId,
      block_type: block.type,
      tool_name: block.tool?.name ?? null,
      method: "drop",
      policy: "ordered",
      score: 0,
      score_parts: {},
      rule: "ordered",
      tokens_before: block.tokens,
      tokens_after: 0,
      tokens_freed: block.tokens,
      handle: block.handle,
      replacement_hash: null,
      state: "cleared",
      turn: session.turn,
    });
  }
  rewriteStanding(hook, passId, missingConstraints(session, gone, find), headOf(session));
  hook.emit("history.compacted", {
    pass_id: passId,
    strategy: "ordered",
    summarizer: "none",
    job_id: null,
    cause: "requested",
    messages_before: messages,
    messages_after: session.messages.filter((message) => !message.gone).length,
    tokens_before: before,
    tokens_after: session.rawTokens,
    target_tokens: before,
    edits: blocks.length,
    considered_blocks: null,
    considered_tokens: null,
    generation: session.nextPass,
    waited_ms: 0,
    gate: null,
    shallower: null,
    thresholds: { yellow: 0.6, orange: 0.75, red: 0.9 },
    scoring: null,
  });
}
