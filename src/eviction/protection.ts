import type { Block, BlockType } from "../model/block.ts";
import type { Unit } from "../model/unit.ts";

/** Why a block may not be evicted or altered. Stable names: they stand in `context.explain` and in labels. */
export type ProtectionRule =
  | "protected.system_prompt"
  | "protected.tool_definition"
  | "protected.task"
  | "protected.constraint"
  | "protected.ledger"
  | "protected.summary"
  | "protected.standing"
  | "protected.provider_summary"
  | "protected.pin"
  | "protected.pending_call"
  | "protected.unanswered_result"
  | "protected.latest_user_message"
  | "protected.recent_unit"
  | "protected.user_budget"
  | "protected.type";

/**
 * How much is protected. `normal`: as configured. `aggressive` (a normal pass could not free enough, or the provider
 * refused the context): 2 recent units, no budget for user messages. `emergency`: 1 recent unit.
 */
export const PROTECTION_LEVELS = ["normal", "aggressive", "emergency"] as const;
export type ProtectionLevel = (typeof PROTECTION_LEVELS)[number];

export interface ProtectionSettings {
  /** Newest units that stay as they are, while they are within `keepRecentTokens`; the newest one stays in any case. */
  readonly keepRecentUnits: number;
  readonly keepRecentTokens: number;
  /** Tokens of earlier user messages that stay verbatim, newest first. */
  readonly keepUserTokens: number;
  /** Types that are never touched, beside system_prompt and tool_definition. */
  readonly protectedTypes: readonly BlockType[];
}

const RECENT_UNITS: Readonly<Record<ProtectionLevel, number>> = {
  normal: Number.POSITIVE_INFINITY,
  aggressive: 2,
  emergency: 1,
};

/** The settings of a level. A level never protects more than the normal settings do. */
export function protectionAt(level: ProtectionLevel, normal: ProtectionSettings): ProtectionSettings {
  return {
    keepRecentUnits: Math.min(normal.keepRecentUnits, RECENT_UNITS[level]),
    keepRecentTokens: normal.keepRecentTokens,
    keepUserTokens: level === "normal" ? normal.keepUserTokens : 0,
    protectedTypes: normal.protectedTypes,
  };
}

export interface Protection {
  /** The first rule that protects the block; null when none does. */
  ruleOf(blockId: string): ProtectionRule | null;
  /** True when the unit may not be dropped: one of its blocks is protected, or a call of it has no result yet. */
  keepsUnit(unit: Unit): boolean;
  /** Tokens of protected blocks by rule; each block counts once. */
  readonly tokens: Readonly<Partial<Record<ProtectionRule, number>>>;
  readonly totalTokens: number;
}

/**
 * Decides what a pass may not touch. `units` in the order of the context; `named` are blocks that the caller protects:
 * constraints outside the system prompt and the first user message, the ledger, the provider's own summary. Linear in the blocks.
 */
export function protect(
  units: readonly Unit[],
  settings: ProtectionSettings,
  named: ReadonlyMap<string, ProtectionRule> = new Map(),
): Protection {
  const rules = new Map<string, ProtectionRule>();
  const tokens: Partial<Record<ProtectionRule, number>> = {};
  let totalTokens = 0;
  const keep = (block: Block, rule: ProtectionRule) => {
    if (rules.has(block.id)) return;
    rules.set(block.id, rule);
    tokens[rule] = (tokens[rule] ?? 0) + block.tokens;
    totalTokens += block.tokens;
  };

  const userBlocks: Block[] = [];
  const fixedBlocks: Block[] = [];
  const fixedTypes = new Set<BlockType>(settings.protectedTypes);
  for (const { blocks } of units) {
    for (const block of blocks) {
      if (block.type === "user_message") userBlocks.push(block);
      if (block.type === "system_prompt") keep(block, "protected.system_prompt");
      else if (block.type === "tool_definition") keep(block, "protected.tool_definition");
      else if (block.type === "user_message" && block.messageId === userBlocks[0]?.messageId)
        keep(block, "protected.task");
      else if (named.has(block.id)) keep(block, named.get(block.id) as ProtectionRule);
      else if (block.pinned) keep(block, "protected.pin");
      else if (fixedTypes.has(block.type)) fixedBlocks.push(block);
    }
  }
  const latestMessageId = userBlocks.at(-1)?.messageId;
  for (const unit of units) {
    if (unit.pendingCalls.size > 0) for (const block of unit.blocks) keep(block, "protected.pending_call");
  }
  for (const block of unansweredBlocks(units)) keep(block, "protected.unanswered_result");
  for (const block of userBlocks) {
    if (block.messageId === latestMessageId) keep(block, "protected.latest_user_message");
  }
  for (const unit of recentUnits(units, settings)) {
    for (const block of unit.blocks) keep(block, "protected.recent_unit");
  }
  for (const block of fixedBlocks) keep(block, "protected.type");

  let left = settings.keepUserTokens;
  for (const block of userBlocks.reverse()) {
    // A long paste that does not fit must not cost the short rules said before it.
    if (rules.has(block.id) || block.tokens > left) continue;
    left -= block.tokens;
    keep(block, "protected.user_budget");
  }

  return {
    ruleOf: (blockId) => rules.get(blockId) ?? null,
    keepsUnit: (unit) => unit.pendingCalls.size > 0 || unit.blocks.some((block) => rules.has(block.id)),
    tokens,
    totalTokens,
  };
}

/** The newest units: as many as are asked for, as long as all behind the newest fit into their tokens. */
function recentUnits(
  units: readonly Unit[],
  { keepRecentUnits, keepRecentTokens }: Pick<ProtectionSettings, "keepRecentUnits" | "keepRecentTokens">,
): readonly Unit[] {
  let count = 0;
  let tokens = 0;
  for (const unit of [...units].reverse()) {
    tokens += unit.tokens;
    if (count === keepRecentUnits || (count > 0 && tokens > keepRecentTokens)) break;
    count++;
  }
  return count === 0 ? [] : units.slice(-count);
}

/** Blocks of the last unit that an assistant message began, if it calls tools: no assistant message has followed. */
function unansweredBlocks(units: readonly Unit[]): readonly Block[] {
  const last = units.findLast((unit) =>
    unit.blocks.some(
      ({ type, part }) => type === "assistant_response" || type === "thinking" || part.kind === "tool_call",
    ),
  );
  const callsTools = last?.blocks.some(({ part }) => part.kind === "tool_call" || part.kind === "tool_result");
  return callsTools ? (last?.blocks ?? []) : [];
}
