import {
  type CascadePlan,
  type CascadeStep,
  type ConfiguredStep,
  EVICTION,
  runCascade,
} from "../../compression/index.ts";
import {
  type EvictionContext,
  gateFigures,
  type ProtectionLevel,
  paysBack,
  protect,
  protectionAt,
  type Scorer,
} from "../../eviction/index.ts";
import { BLOCK_TYPES, type Block, type BlockType } from "../../model/block.ts";
import type { EventData, GateFigures } from "../../model/events.ts";
import { passageOf } from "../../model/passage.ts";
import type { Unit } from "../../model/unit.ts";
import { reneedRate } from "../../regret/index.ts";
import { relativePrices } from "../../tokens/index.ts";
import { taskText } from "../analysis.ts";
import type { Hook } from "../hook.ts";
import { preparedText } from "../jobs/result-texts.ts";
import { currentTokens } from "../measure.ts";
import { carriedBlocks, carriedLimit, carriedTokens } from "./carried.ts";
import type { PassEdit } from "./edit.ts";
import { EvictionMethod, turnsExpected } from "./eviction-method.ts";
import { tellsEnough } from "./fidelity.ts";
import { asksModel } from "./history-summary.ts";
import { PreparedDrop } from "./prepared-drop.ts";

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
  /** What is carried over into a new window, where no pass comes before that one is full. */
  readonly carry?: {
    /** Share of the window up to which it may take the context. */
    readonly upTo: number;
    /** How many times the ledger's limit of an ordinary pass. */
    readonly ledger: number;
  };
}

/** What a pass could have taken: the blocks that nothing protects, and their uncalibrated tokens. */
export interface Considered {
  readonly blocks: number;
  readonly tokens: number;
}

export interface PlannedPass extends CascadePlan<PassEdit> {
  readonly considered: Considered;
  /** Figures of the pass as a whole; null where it has no edits. */
  readonly gate: GateFigures | null;
  /** Those of a pass half as deep, where eviction alone makes it. */
  readonly shallower: GateFigures | null;
  /** Why a pass that need not be made is not: it has no edits then. */
  readonly refused: "min_tokens_freed" | "break_even" | null;
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
    protection: protect(units, settings, carriedBlocks(session)),
    merge: eviction.merge,
    canRecall: session.canRecall,
    count: (text) => services.countText(text),
    tokensWith: (block, text) => services.countPart(services.format.withText(block.part, text)).tokens,
  };
}

/**
 * Plans a pass without doing it: the cascade's steps in their order, of which eviction by the policy in force is one,
 * behind the units that a prepared summary stands for.
 */
export function planPass(hook: Hook, demand: PassDemand): PlannedPass {
  const { session, services } = hook;
  const context = evictionContext(hook, demand.protection, demand.only);
  const room = demand.only === undefined ? Math.min(carriedLimit(hook), demand.targetTokens) : 0;
  const eviction = new EvictionMethod(context, demand.only ? clearing(services.scorer) : services.scorer, services, {
    rewritesAll: room > 0,
    turnsEarly: demand.turnsEarly ?? Number.POSITIVE_INFINITY,
  });
  const view = {
    ...context,
    keepsFacts: (block: Block, text: string) => tellsEnough(hook, passageOf(block), text),
    preparedText: (block: Block) => (asksModel(services) ? preparedText(session, block) : null),
    isProtected: ({ id }: { readonly id: string }) =>
      context.protection.ruleOf(id) !== null || eviction.mergedInto.has(id),
  };
  const plan = runCascade<PassEdit>(stepsOf(hook, demand, eviction), view, {
    // What is carried over is written anew: what it holds now goes, and its room is freed beside what the pass is asked for.
    tokensToFree: Math.ceil(
      (currentTokens(session, services).tokens - demand.targetTokens + room) / services.calibration -
        (room > 0 ? carriedTokens(session) : 0),
    ),
    level: demand.level,
  });
  return { ...throughGate(hook, demand, context.units, plan, eviction), considered: unprotected(context) };
}

function unprotected({ units, protection }: EvictionContext): Considered {
  let blocks = 0;
  let tokens = 0;
  for (const unit of units) {
    for (const block of unit.blocks) {
      if (protection.ruleOf(block.id) !== null) continue;
      blocks++;
      tokens += block.tokens;
    }
  }
  return { blocks, tokens };
}

/** The plan with its figures, without its edits where they need not be made and do not pay. */
function throughGate(
  { services }: Hook,
  { forced, turnsEarly = Number.POSITIVE_INFINITY }: PassDemand,
  units: readonly Unit[],
  plan: CascadePlan<PassEdit>,
  { name, plan: evicted }: EvictionMethod,
): Omit<PlannedPass, "considered"> {
  if (plan.edits.length === 0) return { ...plan, gate: null, shallower: null, refused: null };
  const { settings, model } = services;
  const decided = !forced;
  const alone = plan.steps.every(({ method, edits }) => method === name || edits === 0);
  const gate =
    alone && evicted?.gate
      ? { ...evicted.gate, decided }
      : gateFigures({
          prices: relativePrices(model.prices),
          tokensFreed: plan.tokensFreed,
          tokensRewritten: tokensBehind(units, plan),
          expectedRemainingTurns: turnsExpected(settings, turnsEarly),
          decided,
        });
  const shallower = alone && evicted?.shallower ? { ...evicted.shallower, decided } : null;
  const refused = forced
    ? null
    : plan.tokensFreed < settings.eviction.min_tokens_freed
      ? "min_tokens_freed"
      : paysBack(gate)
        ? null
        : "break_even";
  if (refused !== null) return { ...plan, edits: [], tokensFreed: 0, gate, shallower, refused };
  return { ...plan, gate, shallower, refused };
}

/** Tokens that stand behind the first edit once the plan is done. */
function tokensBehind(units: readonly Unit[], { edits, tokensFreed }: CascadePlan<PassEdit>): number {
  const edited = new Set(edits.flatMap(({ blockIds }) => blockIds));
  let behind = 0;
  let isBehind = false;
  for (const { blocks } of units) {
    for (const { id, tokens } of blocks) {
      isBehind ||= edited.has(id);
      if (isBehind) behind += tokens;
    }
  }
  return Math.max(0, behind - tokensFreed);
}

function stepsOf({ session, services }: Hook, demand: PassDemand, eviction: EvictionMethod): CascadeStep<PassEdit>[] {
  // A policy that edits nothing is a bound to measure against: nothing else edits for it either.
  if (services.scorer.actions.length === 0) return [{ threshold: 0, method: eviction }];
  if (demand.only !== undefined) return budgetSteps(services.cascade, demand.only, eviction);
  const steps = services.cascade.map(({ threshold, method }) => ({
    threshold,
    method: method === EVICTION ? eviction : method,
  }));
  const { job } = session;
  if (job?.status !== "ready" || !asksModel(services)) return steps;
  return [{ threshold: 0, method: new PreparedDrop(job.blockIds) }, ...steps];
}

/** A budget of one component is kept by eviction; that of tool results by making the oldest shorter first. */
function budgetSteps(
  cascade: readonly ConfiguredStep[],
  only: readonly BlockType[],
  eviction: EvictionMethod,
): CascadeStep<PassEdit>[] {
  const steps: CascadeStep<PassEdit>[] = [{ threshold: 0, method: eviction }];
  const shorter = cascade.find(({ method }) => method !== EVICTION && method.name === "tool_result_summarization");
  if (shorter && shorter.method !== EVICTION && only.includes("tool_result")) {
    steps.unshift({ threshold: 0, method: shorter.method });
  }
  return steps;
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
