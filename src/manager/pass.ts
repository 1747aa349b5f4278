import {
  type CascadePlan,
  type CascadeStep,
  type CompressionMethod,
  compressionMethods,
  type Floor,
  floorFigures,
  runCascade,
} from "../compression/index.ts";
import {
  type EvictionContext,
  type ProtectionLevel,
  type ProtectionRule,
  protect,
  protectionAt,
  type Scorer,
} from "../eviction/index.ts";
import { BLOCK_TYPES, type BlockType } from "../model/block.ts";
import type { EventData, GateFigures } from "../model/events.ts";
import type { Registry } from "../model/strategy.ts";
import type { Unit } from "../model/unit.ts";
import { reneedRate } from "../regret/index.ts";
import { taskText } from "./analysis.ts";
import { applyEdit, type PassEdit } from "./edit.ts";
import { EvictionMethod } from "./eviction-method.ts";
import type { Hook } from "./hook.ts";
import { ledgerBlocks, ledgerLimit, ledgerTokens, rebuildLedger } from "./ledger.ts";
import { currentTokens, limitsOf } from "./measure.ts";
import { newestProviderSummary } from "./provider-edits.ts";
import type { Session } from "./session.ts";

/** What a pass is asked to do. */
export interface PassDemand {
  readonly cause: EventData["history.compacted"]["cause"];
  readonly protection: ProtectionLevel;
  /** Tokens, as the provider counts them, that the context is to come down to. */
  readonly targetTokens: number;
  /** False where the break-even gate may refuse. */
  readonly forced: boolean;
  /** Turns after which the pass would be made anyway: what an early one can save. Absent: it is not early. */
  readonly turnsEarly?: number;
  /** Pressure that the cascade's thresholds are compared with; 1: every step is tried. */
  readonly level: number;
  /** Only blocks of these types may be edited; nothing is carried over of them. */
  readonly only?: readonly BlockType[];
}

export interface PlannedPass extends CascadePlan<PassEdit> {
  readonly gate: GateFigures | null;
  readonly shallower: GateFigures | null;
}

/** What is tried when nothing else has helped. */
const LAST_RESORT = 1;

/** Share of the trigger level up to which a ledger may take the context beyond the target. */
const LEDGER_CEILING = 0.85;
/** Share of its limit that the ledger gets even above that. */
const LEAST_CARRIED = 0.4;

/** Blocks that stay for what they are to contextd, and the rule that says so. */
function protectedByName(session: Session): Map<string, ProtectionRule> {
  const named = new Map(ledgerBlocks(session).map((id): [string, ProtectionRule] => [id, "protected.ledger"]));
  const summary = newestProviderSummary(session);
  if (summary) named.set(summary.id, "protected.provider_summary");
  return named;
}

/** The live units in the order of the context, and what a policy may look at. Linear in the live blocks. */
export function evictionContext(hook: Hook, level: ProtectionLevel, only?: readonly BlockType[]): EvictionContext {
  const { session, services } = hook;
  services.analysis.readBlocks();
  const { eviction } = services.settings;
  const units: Unit[] = [...session.units.values()];
  const excluded = only ? BLOCK_TYPES.filter((type) => !only.includes(type)) : [];
  const settings = protectionAt(level, {
    keepRecentUnits: eviction.keep_recent_units,
    keepRecentTokens: Math.floor(eviction.keep_recent_tokens * session.maxTokens),
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
    reneedRate: (toolName, type) => reneedRate(session.regret.tally, toolName, type),
    protection: protect(units, settings, protectedByName(session)),
    merge: eviction.merge,
    canRecall: session.canRecall,
    count: (text) => services.countText(text),
    tokensWith: (block, text) => services.countPart(services.format.withText(block.part, text)).tokens,
  };
}

/** Plans a pass without doing it: the cascade's steps, of which eviction by the policy in force is the first. */
export function planPass(hook: Hook, demand: PassDemand): PlannedPass {
  const { session, services } = hook;
  const context = evictionContext(hook, demand.protection, demand.only);
  const carried = carriedTokens(hook, demand);
  const eviction = new EvictionMethod(context, demand.only ? clearing(services.scorer) : services.scorer, services, {
    forced: demand.forced,
    rewritesAll: carried > 0,
    turnsEarly: demand.turnsEarly ?? Number.POSITIVE_INFINITY,
  });
  const steps: CascadeStep<PassEdit>[] = [{ threshold: 0, method: eviction }];
  // A policy that edits nothing is a bound to measure against: nothing else edits for it either.
  if (services.scorer.actions.length > 0) steps.push(lastResort());
  const plan = runCascade<PassEdit>(
    steps,
    { ...context, isProtected: (block) => context.protection.ruleOf(block.id) !== null },
    {
      // The ledger is written anew: what it holds now goes, and its room is freed beside what the pass is asked for.
      tokensToFree: Math.ceil(
        (currentTokens(session, services).tokens - demand.targetTokens + carried) / services.calibration -
          (carried > 0 ? ledgerTokens(session) : 0),
      ),
      level: demand.level,
    },
  );
  return { ...plan, gate: eviction.plan?.gate ?? null, shallower: eviction.plan?.shallower ?? null };
}

/** Tokens kept free for the ledger, as the provider counts them; 0 when the pass carries nothing over. */
function carriedTokens(hook: Hook, { only, targetTokens }: PassDemand): number {
  return only === undefined ? Math.min(ledgerLimit(hook), targetTokens) : 0;
}

/** The policy for units of which only parts may be touched: it also empties these, so that the rest can stay. */
function clearing(scorer: Scorer): Scorer {
  if (scorer.actions.length === 0) return scorer;
  return {
    name: scorer.name,
    depth: scorer.depth,
    exhaustsZero: scorer.exhaustsZero ?? false,
    actions: [...new Set(["clear", "clear_input", ...scorer.actions] as const)],
    score: (block, view) => scorer.score(block, view),
  };
}

function lastResort(): CascadeStep<PassEdit> {
  const registry: Registry<CompressionMethod> = compressionMethods;
  const method = registry["head_tail"]?.configure({});
  if (!method) throw new Error("the compression method head_tail is not registered");
  return { threshold: LAST_RESORT, method };
}

/** Does one pass: one decision, one `pass_id`, one break of the provider's prefix. Answers the tokens freed. */
export function runPass(hook: Hook, demand: PassDemand): number {
  const { session, services } = hook;
  const before = currentTokens(session, services).tokens;
  if (before <= demand.targetTokens) return 0;
  const plan = planPass(hook, demand);
  const applied = plan.steps.filter((step) => step.outcome === "applied");
  if (plan.edits.length === 0 && !(demand.forced && mustShrinkLedger(hook, demand))) {
    const reason = plan.steps.find((step) => step.reason !== null)?.reason ?? "nothing_saved";
    hook.emit("compaction.skipped", { reason, gate: plan.gate });
    return 0;
  }
  const messagesBefore = session.messages.length;
  const passId = `p${session.nextPass}`;
  for (const edit of plan.edits) applyEdit(hook, passId, edit);
  carryOver(hook, passId, demand);
  const after = currentTokens(session, services).tokens;
  hook.emit("history.compacted", {
    pass_id: passId,
    strategy: applied.length === 0 ? "ledger" : applied.map((step) => step.method).join("+"),
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

/** Chooses the ledger anew, or takes it away where there is no room for one. */
function carryOver(hook: Hook, passId: string, demand: PassDemand): void {
  if (!writesLedger(hook, demand)) return;
  const { wanted, most } = ledgerRoom(hook, demand);
  const { calibration } = hook.services;
  rebuildLedger(hook, passId, Math.floor(wanted / calibration), Math.floor(most / calibration));
}

function writesLedger(hook: Hook, { only }: PassDemand): boolean {
  return only === undefined && ledgerLimit(hook) > 0;
}

function mustShrinkLedger(hook: Hook, demand: PassDemand): boolean {
  const { session, services } = hook;
  const stands = ledgerTokens(session) * services.calibration;
  return writesLedger(hook, demand) && stands > Math.max(0, ledgerRoom(hook, demand).most);
}

/**
 * Tokens that the ledger is to take and those that it may take at most, as the provider counts them; may be below 0. What
 * must stay may leave no room for it below the target: it then goes beyond, but little of that where the next pass would
 * come soon, and never to the level at which it begins. Where the context must get small, the target is the limit.
 */
function ledgerRoom(hook: Hook, demand: PassDemand): { readonly wanted: number; readonly most: number } {
  const { session, services } = hook;
  const carried = carriedTokens(hook, demand);
  const base = currentTokens(session, services).tokens - ledgerTokens(session) * services.calibration;
  const below = demand.targetTokens - base;
  if (demand.cause === "overflow" || demand.protection !== "normal") {
    return { wanted: Math.min(carried, below), most: below };
  }
  const trigger = limitsOf(session, services).thresholds.orange * session.maxTokens;
  const beyond = Math.min(carried, Math.max(LEAST_CARRIED * carried, LEDGER_CEILING * trigger - base));
  const most = Math.ceil(trigger) - 1 - base;
  return { wanted: Math.min(Math.max(below, beyond), most), most };
}

/**
 * What nothing can free, in tokens as the provider counts them: what is left when everything that the deepest pass
 * could do is done. Content that no edit fits counts, and so does what the provider counts beyond our own figures.
 */
export function floorOf(hook: Hook): Floor {
  const { session, services } = hook;
  const { reserve, thresholds } = limitsOf(session, services);
  const scaled = (tokens: number) => Math.round(tokens * services.calibration);
  const { tokens } = currentTokens(session, services);
  const demand = { cause: "red", protection: "emergency", targetTokens: 0, forced: true, level: 1 } as const;
  const freed = planPass(hook, demand).tokensFreed + (writesLedger(hook, demand) ? ledgerTokens(session) : 0);
  const systemTokens = scaled(session.componentTokens.system_prompt);
  const toolsTokens = scaled(session.componentTokens.tool_definitions);
  return floorFigures({
    systemTokens,
    toolsTokens,
    protectedTokens: Math.max(0, tokens - scaled(freed) - systemTokens - toolsTokens),
    reserveTokens: reserve,
    maxTokens: session.maxTokens,
    red: thresholds.red,
  });
}
