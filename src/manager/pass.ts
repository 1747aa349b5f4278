import {
  type EvictionContext,
  type EvictionPlan,
  type PlannedEdit,
  type ProtectionLevel,
  planEviction,
  protect,
  protectionAt,
} from "../eviction/index.ts";
import { BLOCK_TYPES, type Block, type BlockType } from "../model/block.ts";
import type { EventData } from "../model/events.ts";
import type { Unit } from "../model/unit.ts";
import { relativePrices } from "../tokens/index.ts";
import type { Hook } from "./hook.ts";
import { currentTokens, limitsOf } from "./measure.ts";
import type { Session } from "./session.ts";
import { truncateBlock } from "./truncate.ts";

/** What a pass is asked to do. */
export interface PassDemand {
  readonly cause: EventData["history.compacted"]["cause"];
  readonly level: ProtectionLevel;
  /** Tokens, as the provider counts them, that the context is to come down to. */
  readonly targetTokens: number;
  /** False where the break-even gate may refuse. */
  readonly forced: boolean;
  /** Only blocks of these types may be edited. */
  readonly only?: readonly BlockType[];
}

/** Tokens that a cut leaves of a block at the least. */
const LEAST_CUT = 200;

/** The live units in the order of the context, and what a policy may look at. Linear in the live blocks. */
export function evictionContext(hook: Hook, level: ProtectionLevel, only?: readonly BlockType[]): EvictionContext {
  const { session, services } = hook;
  services.analysis.settle();
  const { eviction } = services.settings;
  const units: Unit[] = [...session.units.values()];
  const excluded = only ? BLOCK_TYPES.filter((type) => !only.includes(type)) : [];
  const settings = protectionAt(level, {
    keepRecentUnits: eviction.keep_recent_units,
    keepUserTokens: Math.floor(eviction.keep_user_tokens * session.maxTokens),
    protectedTypes: [...eviction.protected_types, ...excluded],
  });
  return {
    turn: session.turn,
    windowTokens: session.maxTokens,
    units,
    taskText: taskText(session),
    similarity: services.analysis.similarity,
    superseded: services.analysis.superseded,
    protection: protect(units, settings),
    merge: eviction.merge,
    canRecall: session.canRecall,
    count: (text) => services.countText(text),
    tokensWith: (block, text) => services.countPart(services.format.withText(block.part, text)).tokens,
  };
}

function taskText(session: Session): string {
  if (!session.task) return "";
  return [session.task.goal, ...session.task.success_criteria, ...session.task.constraints].join("\n");
}

/** Plans a pass without doing it. */
export function planPass(hook: Hook, demand: PassDemand): EvictionPlan {
  const { session, services } = hook;
  const { eviction } = services.settings;
  const { tokens } = currentTokens(session, services);
  return planEviction(evictionContext(hook, demand.level, demand.only), services.scorer, {
    tokensToFree: Math.ceil((tokens - demand.targetTokens) / services.calibration),
    prices: relativePrices(services.model.prices),
    expectedRemainingTurns: eviction.gate.expected_remaining_turns,
    minTokensFreed: eviction.min_tokens_freed,
    forced: demand.forced,
  });
}

/** Does one pass: one decision, one `pass_id`, one break of the provider's prefix. Answers the tokens freed. */
export function runPass(hook: Hook, demand: PassDemand): number {
  const { session, services } = hook;
  const before = currentTokens(session, services).tokens;
  const messagesBefore = session.messages.length;
  const plan = planPass(hook, demand);
  if (plan.edits.length === 0) {
    if (plan.refused && plan.refused !== "no_demand") {
      hook.emit("compaction.skipped", { reason: plan.refused, gate: plan.gate });
    }
    return 0;
  }
  const passId = `p${session.nextPass}`;
  for (const edit of plan.edits) applyEdit(hook, passId, edit);
  const after = currentTokens(session, services).tokens;
  hook.emit("history.compacted", {
    pass_id: passId,
    strategy: "eviction",
    cause: demand.cause,
    messages_before: messagesBefore,
    messages_after: session.messages.filter((message) => !message.gone).length,
    tokens_before: before,
    tokens_after: after,
    target_tokens: demand.targetTokens,
    edits: plan.edits.length,
    generation: session.nextPass,
    waited_ms: 0,
    gate: plan.gate,
    shallower: plan.shallower,
  });
  return before - after;
}

function applyEdit(hook: Hook, passId: string, edit: PlannedEdit): void {
  for (const blockId of edit.blockIds) {
    const block = hook.session.blocks.get(blockId);
    if (!block) throw new Error(`planned edit names block ${blockId}, which is not in the context`);
    if (edit.method === "merge") mergeBlock(hook, passId, edit, block);
    else evictBlock(hook, passId, edit, block);
  }
}

/** Files the block's replacement as content; answers its address and tokens. */
function replacement(hook: Hook, block: Block, text: string): { hash: string; tokens: number } {
  const part = hook.services.format.withText(block.part, text);
  return { hash: hook.store(part), tokens: hook.services.countPart(part).tokens };
}

function evictBlock(hook: Hook, passId: string, edit: PlannedEdit, block: Block): void {
  const stands = edit.replacementText === null ? null : replacement(hook, block, edit.replacementText);
  const after = stands?.tokens ?? 0;
  hook.emit("block.evicted", {
    block_id: block.id,
    unit_id: block.unitId,
    pass_id: passId,
    block_type: block.type,
    tool_name: block.tool?.name ?? null,
    method: edit.method,
    policy: hook.services.scorer.name,
    score: edit.score,
    score_parts: { ...edit.scoreParts },
    rule: edit.rule,
    tokens_before: block.tokens,
    tokens_after: after,
    tokens_freed: block.tokens - after,
    handle: block.handle,
    replacement_hash: stands?.hash ?? null,
    state: "cleared",
    turn: hook.session.turn,
  });
}

function mergeBlock(hook: Hook, passId: string, edit: PlannedEdit, block: Block): void {
  const stands = replacement(hook, block, edit.replacementText ?? "");
  hook.emit("block.merged", {
    block_id: block.id,
    into_block_id: edit.intoBlockId ?? "",
    pass_id: passId,
    policy: hook.services.scorer.name,
    score: edit.score,
    rule: edit.rule,
    similarity: edit.similarity ?? 0,
    tokens_before: block.tokens,
    tokens_after: stands.tokens,
    tokens_freed: block.tokens - stands.tokens,
    handle: block.handle,
    replacement_hash: stands.hash,
    turn: hook.session.turn,
  });
}

/** What nothing can free: see ALGORITHMS, floor. Tokens as the provider counts them. */
export function floorOf(hook: Hook): EventData["floor.detected"] {
  const { session, services } = hook;
  const { protection } = evictionContext(hook, "emergency");
  const { reserve } = limitsOf(session, services);
  const system = session.componentTokens.system_prompt;
  const tools = session.componentTokens.tool_definitions;
  const systemProtected = protection.tokens["protected.system_prompt"] ?? 0;
  const kept = Math.round((protection.totalTokens - systemProtected) * services.calibration);
  return {
    floor_tokens: Math.round((system + tools) * services.calibration) + kept + reserve,
    max_tokens: session.maxTokens,
    system_tokens: system,
    tools_tokens: tools,
    protected_tokens: kept,
    reserve_tokens: reserve,
  };
}

/**
 * Cuts the biggest blocks that may be changed to head and tail until the context is down to `targetTokens`: the
 * last thing tried. Blocks of the current step count too: a context that does not fit helps nobody.
 */
export function cutLargest(hook: Hook, cause: PassDemand["cause"], targetTokens: number): void {
  const { session, services } = hook;
  const before = currentTokens(session, services).tokens;
  const messages = session.messages.length;
  const biggest = [...session.blocks.values()]
    .filter((block) => block.part.kind === "tool_result" && !block.pinned && block.tokens > LEAST_CUT)
    .sort((a, b) => b.tokens - a.tokens);
  const passId = `p${session.nextPass}`;
  let edits = 0;
  for (const block of biggest) {
    const over = Math.ceil((currentTokens(session, services).tokens - targetTokens) / services.calibration);
    if (over <= 0) break;
    if (truncateBlock(hook, block, Math.max(LEAST_CUT, block.tokens - over), passId, "cut.head_tail")) edits++;
  }
  if (edits === 0) return;
  hook.emit("history.compacted", {
    pass_id: passId,
    strategy: "head_tail",
    cause,
    messages_before: messages,
    messages_after: messages,
    tokens_before: before,
    tokens_after: currentTokens(session, services).tokens,
    target_tokens: targetTokens,
    edits,
    generation: session.nextPass,
    waited_ms: 0,
    gate: null,
    shallower: null,
  });
}
