import type { AnyCommand } from "../../src/manager/commands/command.ts";
import { commands } from "../../src/manager/commands/index.ts";
import type { Hook } from "../../src/manager/hook.ts";
import { summariseBlock } from "../../src/manager/passes/edit.ts";
import type { Session } from "../../src/manager/session.ts";
import type { Block } from "../../src/model/block.ts";
import type { Part } from "../../src/model/part.ts";
import { type Passage, passageOf } from "../../src/model/passage.ts";
import { type ManagerOptions, TestManager } from "./manager.ts";

/** An edit that a test orders for the end of the next on_turn_start. `text`: what stands there then; null: nothing. */
export interface OrderedEdit {
  readonly blockId: string;
  readonly text: string | null;
  readonly method?: "evict" | "merge" | "truncate" | "summarize";
}

/** A manager whose passes do what a test orders. What was ordered is done once; `atEnd` is told what it took out. */
export function evictingManager(
  options: ManagerOptions = {},
  atEnd: (hook: Hook, passages: readonly Passage[]) => void = () => {},
): { host: TestManager; order: OrderedEdit[] } {
  const order: OrderedEdit[] = [];
  const real: AnyCommand = commands.on_turn_start;
  const seeded: AnyCommand = {
    ...real,
    decide(hook, params, given) {
      const reply: unknown = real.decide(hook, params, given);
      const edits = order.splice(0);
      const passages = edits.flatMap(({ blockId }) => {
        const block = hook.session.blocks.get(blockId);
        return block ? [passageOf(block)] : [];
      });
      for (const edit of edits) doEdit(hook, edit);
      if (edits.length > 0) endPass(hook);
      if (edits.length > 0) atEnd(hook, passages);
      return reply;
    },
  };
  return { host: new TestManager({ ...options, seeded: { on_turn_start: seeded } }), order };
}

/** Orders that leave the whole unit of each block out. */
export function dropping(session: Session, ...blockIds: readonly string[]): OrderedEdit[] {
  const units = new Set(blockIds.map((id) => session.blocks.get(id)?.unitId));
  const blocks = [...session.blocks.values()].filter((block) => units.has(block.unitId));
  return blocks.map((block) => ({ blockId: block.id, text: null }));
}

/** What follows the edits of a pass: messages that are gone leave the list. */
function endPass(hook: Hook): void {
  const { messages, rawTokens, turn, nextPass } = hook.session;
  hook.emit("history.compacted", {
    pass_id: `p${turn}`,
    summarizer: "none",
    job_id: null,
    strategy: "ordered",
    cause: "requested",
    messages_before: messages.length,
    messages_after: messages.filter((message) => !message.gone).length,
    tokens_before: rawTokens,
    tokens_after: rawTokens,
    target_tokens: rawTokens,
    edits: 1,
    considered_blocks: null,
    considered_tokens: null,
    generation: nextPass,
    waited_ms: 0,
    gate: null,
    shallower: null,
    thresholds: { yellow: 0.6, orange: 0.75, red: 0.9 },
    scoring: null,
  });
}

function doEdit(hook: Hook, { blockId, text, method = "evict" }: OrderedEdit): void {
  const block = hook.session.blocks.get(blockId);
  // The policy's own pass may have taken it just before.
  if (!block) return;
  const common = commonOf(hook, block, text);
  if (method === "truncate") {
    const { block_id, pass_id, tokens_before, tokens_after, handle, rule } = common;
    hook.emit("block.truncated", {
      ...{ block_id, pass_id, tokens_before, tokens_after, handle, rule },
      hash: common.replacement_hash ?? "",
    });
  } else if (method === "summarize") {
    summariseBlock(hook, block, text ?? "", common.rule, common.pass_id);
  } else if (method === "merge") {
    hook.emit("block.merged", {
      ...common,
      into_block_id: "b1",
      similarity: 0.9,
      replacement_hash: common.replacement_hash ?? "",
    });
  } else {
    const { type: block_type, unitId: unit_id, tool } = block;
    hook.emit("block.evicted", {
      ...common,
      ...{ unit_id, block_type, tool_name: tool?.name ?? null, score_parts: {} },
      method: text === null ? "drop" : "clear",
      state: "cleared",
    });
  }
}

function commonOf(hook: Hook, block: Block, text: string | null) {
  const part = text === null ? null : hook.services.format.withText(block.part, text);
  const tokens = part === null ? 0 : hook.services.countPart(part as Part).tokens;
  return {
    block_id: block.id,
    pass_id: `p${hook.session.turn}`,
    policy: "ordered",
    score: 0,
    rule: "ordered",
    tokens_before: block.tokens,
    tokens_after: tokens,
    tokens_freed: block.tokens - tokens,
    handle: block.handle,
    replacement_hash: part === null ? null : hook.store(part),
    turn: hook.session.turn,
  };
}
