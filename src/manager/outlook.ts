import { type ScoringView, scoringView } from "../eviction/index.ts";
import type { Block } from "../model/block.ts";
import { targetTokens } from "../pressure/index.ts";
import { reneedRate } from "../regret/index.ts";
import type { Hook } from "./hook.ts";
import { currentTokens, limitsOf } from "./measure.ts";
import { evictionContext, type PlannedPass, planPass } from "./passes/pass-plan.ts";

/** Units looked at for the candidates of a yellow turn: the oldest ones, so that the cost does not grow. */
const UNITS_LOOKED_AT = 32;
/** Candidates listed. */
const CANDIDATES_SHOWN = 10;
/** Blocks named of a planned pass. */
const PLANNED_SHOWN = 100;

/** The blocks that a pass would take first, among the oldest units. Bounded work, whatever the context's length. */
export function listCandidates(hook: Hook): Record<string, unknown>[] {
  const { session, services } = hook;
  services.analysis.readBlocks();
  const recent = session.nextUnit - services.settings.eviction.keep_recent_units;
  const ranks = new Map<number, number>();
  const blocks: Block[] = [];
  for (const unit of session.units.values()) {
    if (ranks.size >= UNITS_LOOKED_AT || unit.id >= recent) break;
    ranks.set(unit.id, session.units.size - 1 - ranks.size);
    for (const block of unit.blocks) if (mayGo(block)) blocks.push(block);
  }
  const plain = scoringView({
    turn: session.turn,
    windowTokens: session.maxTokens,
    units: [],
    taskText: "",
    similarity: services.analysis.similarity,
    superseded: services.analysis.superseded,
    reneedRate: (toolName, type) => reneedRate(session.regret.tally, toolName, type),
  });
  const view: ScoringView = { ...plain, unitCount: session.units.size, unitRank: (id) => ranks.get(id) ?? 0 };
  return blocks
    .map((block) => ({ block, score: services.scorer.score(block, view) }))
    .sort((a, b) => a.score.score - b.score.score)
    .slice(0, CANDIDATES_SHOWN)
    .map(({ block, score }) => ({
      block_id: block.id,
      type: block.type,
      tokens: block.tokens,
      score: score.score,
      score_parts: score.parts,
      rule: score.rule,
    }));
}

function mayGo(block: Block): boolean {
  return !block.pinned && block.state === "whole" && block.type !== "system_prompt" && block.type !== "user_message";
}

/** The pass that would be made if the next turn grows like the last ones; null when none is due. */
export function nextPass(hook: Hook): PlannedPass | null {
  const { session, services } = hook;
  if (!session.reading || session.turn === 0) return null;
  const { thresholds } = limitsOf(session, services);
  const { tokens } = currentTokens(session, services);
  const growth = session.reading.velocity_tokens_per_turn ?? 0;
  if (tokens + growth < thresholds.orange * session.maxTokens) return null;
  const target = targetTokens(services.settings.eviction.target_utilization, thresholds, session.maxTokens);
  return planPass(hook, {
    cause: "orange",
    protection: "normal",
    targetTokens: target,
    forced: true,
    level: thresholds.orange,
  });
}

/** That pass in figures, with the first of the blocks that it takes; null when none is due. */
export function planNext(hook: Hook): Record<string, unknown> | null {
  const { session, services } = hook;
  const plan = nextPass(hook);
  if (plan === null) return null;
  const blockIds = plan.edits.flatMap((edit) => edit.blockIds);
  const { tokens } = currentTokens(session, services);
  return {
    turn: session.turn + 1,
    edits: plan.edits.length,
    blocks: blockIds.length,
    block_ids: blockIds.slice(0, PLANNED_SHOWN),
    tokens_after: tokens - Math.round(plan.tokensFreed * services.calibration),
    gate: plan.gate,
    summary_ready: session.job?.status === "ready",
  };
}

/** Why a live block stays: the rule that protects it, and the score it has now. */
export function standingOf(hook: Hook, block: Block) {
  const context = evictionContext(hook, "normal");
  const score = hook.services.scorer.score(block, scoringView(context));
  return {
    protected_by: block.type === "tool_definition" ? "protected.tool_definition" : context.protection.ruleOf(block.id),
    policy: hook.services.scorer.name,
    score: score.score,
    score_parts: { ...score.parts },
    rule: score.rule,
  };
}
