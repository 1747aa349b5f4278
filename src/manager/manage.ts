import { type Budget, enforce } from "../budget/index.ts";
import { mayCompress } from "../compression/index.ts";
import { PROTECTION_LEVELS, type ProtectionLevel } from "../eviction/index.ts";
import { BLOCK_TYPES, type Component, componentOf } from "../model/block.ts";
import type { Action, Reading, Status } from "../model/zone.ts";
import { type Measurement, needsNextWindow, outputReserveFree, route, targetTokens } from "../pressure/index.ts";
import { type Advice, adviceOf } from "./advice.ts";
import { tallyTools, tellBudgets } from "./budgets.ts";
import type { Hook } from "./hook.ts";
import { prepareResults } from "./jobs/result-job.ts";
import { awaitsSummary, prepareSummary } from "./jobs/summary-job.ts";
import { currentTokens, limitsOf, measure } from "./measure.ts";
import { standsOnFloor, tellBreaker, tellFloor } from "./passes/floor.ts";
import { runPass } from "./passes/pass.ts";
import type { PassDemand } from "./passes/pass-plan.ts";
import type { Checkpoint, Session } from "./session.ts";
import { tellHealth } from "./tell-health.ts";
import { leaveWindow } from "./windows/change-window.ts";
import { leavingScorer, worksWindowByWindow } from "./windows/whole-windows.ts";

/** What was done at a turn's start. */
export interface Managed {
  readonly action: Action;
  /** The reading that the agent goes on with: after the edits. */
  readonly reading: Reading;
  readonly budget: Budget;
  readonly advice: readonly Advice[];
  /** The checkpoint that a new window was opened from; null: the window stays. */
  readonly checkpoint: Checkpoint | null;
}

/** Routes a turn by its reading, does what the route says, and measures again. */
export function manage(hook: Hook, measured: Measurement, responseTokens: number | null): Managed {
  const { session, services } = hook;
  const { pressure, eviction } = services.settings;
  const { reserve, thresholds } = limitsOf(session, services);
  // A minimal policy frees just enough to be below the trigger; the others go deep, and so break the cache less often.
  const target =
    services.scorer.depth === "minimal"
      ? Math.ceil(thresholds.orange * session.maxTokens) - 1
      : targetTokens(eviction.target_utilization, thresholds, session.maxTokens);
  const needed = Math.max(reserve, responseTokens ?? 0);
  const { action, status } = route({
    reading: measured.reading,
    forecastOrange: measured.forecastOrange,
    outputReserveFree: outputReserveFree(measured.reading.tokens, session.maxTokens, needed),
    emergency: pressure.emergency,
    targetTokens: target,
  });
  setStatus(hook, status);
  const passesBefore = session.nextPass;
  const levels: Levels = {
    target,
    enough: Math.min(session.maxTokens - needed, Math.ceil(thresholds.red * session.maxTokens) - 1),
    orange: thresholds.orange,
    red: thresholds.red,
  };
  act(hook, action, measured, levels);
  enforceBudgets(hook);
  // A pass may free nothing and still change what is there.
  const compacted = session.nextPass > passesBefore ? measure(hook, "edit").reading : measured.reading;
  const isFull =
    needsNextWindow(compacted.utilization) || !outputReserveFree(compacted.tokens, session.maxTokens, needed);
  const saves = action === "emergency_compaction" && isFull;
  const checkpoint = saves ? leaveWindow(hook) : null;
  const left = checkpoint === null ? compacted : (session.reading ?? compacted);
  const reading = saves && worksWindowByWindow(services) ? withoutExcess(hook, left, levels) : left;
  const budget = tellBudgets(hook);
  const floor = tellFloor(hook, reading);
  tellBreaker(hook, reading);
  tellHealth(hook);
  return {
    action: checkpoint === null ? action : "cross_window_save",
    reading,
    budget,
    advice: adviceOf(hook, budget, floor),
    checkpoint,
  };
}

function setStatus(hook: Hook, status: Status): void {
  const { session } = hook;
  if (session.status !== status) hook.emit("status.changed", { from: session.status, to: status });
}

type Cause = Reading["zone"] | "forecast" | "overflow" | "requested";

/** Where a pass goes, in tokens, and the pressure it is made under, as a share of the window. */
interface Levels {
  readonly target: number;
  /** Tokens at which red is left and the answer has its room. */
  readonly enough: number;
  readonly orange: number;
  readonly red: number;
}

/** Does what the route says. */
function act(hook: Hook, action: Action, measured: Measurement, levels: Levels): void {
  const { zone } = measured.reading;
  if (action === "evaluate") prepareEarly(hook, levels);
  if (action === "none" || action === "evaluate") return;
  if (worksWindowByWindow(hook.services)) {
    hook.emit("compaction.skipped", { reason: "window_by_window", gate: null });
    return;
  }
  const cause =
    action === "evict" && measured.forecastOrange && (zone === "green" || zone === "yellow") ? "forecast" : zone;
  if (action === "evict") evict(hook, cause, levels);
  else if (standsOnFloor(hook)) hook.emit("compaction.skipped", { reason: "floor", gate: null });
  else compact(hook, cause, levels);
}

/** One pass below red: it may wait, and where only a forecast asks for it, it must pay. */
function evict(hook: Hook, cause: Cause, levels: Levels): void {
  const { session, services } = hook;
  const waits = services.settings.eviction.min_turns_between_edits;
  const reason =
    session.lastEditTurn > 0 && session.turn - session.lastEditTurn < waits
      ? "min_turns_between_edits"
      : mayCompress(session.breaker, session.turn)
        ? null
        : "no_progress_breaker";
  const demand: PassDemand = {
    cause,
    protection: "normal",
    targetTokens: levels.target,
    level: Math.max(levels.orange, session.reading?.utilization ?? 0),
    forced: true,
  };
  if (reason !== null) {
    hook.emit("compaction.skipped", { reason, gate: null });
    prepareResults(hook, demand);
    return;
  }
  if (awaitsSummary(hook, demand)) {
    hook.emit("compaction.skipped", { reason: "awaiting_summary", gate: null });
    return;
  }
  if (cause !== "forecast") runPass(hook, demand);
  else runPass(hook, { ...demand, forced: false, turnsEarly: turnsUntil(levels.orange, session) });
}

/** In yellow a model may begin on what orange will drop, so that the summary is there when it is wanted. */
function prepareEarly(hook: Hook, { target, orange }: Levels): void {
  const { session, services } = hook;
  if (!services.summariesAvailable || turnsUntil(orange, session) > services.settings.compaction.early_turns) return;
  const { tokens } = currentTokens(session, services);
  const growth = Math.max(0, orange * session.maxTokens - tokens);
  const demand: PassDemand = {
    cause: "orange",
    protection: "normal",
    targetTokens: target - growth,
    level: orange,
    forced: true,
  };
  prepareResults(hook, demand);
  prepareSummary(hook, demand);
}

/** Turns until the context reaches the share of the window if it goes on growing; at least one. */
function turnsUntil(share: number, { reading, maxTokens }: Session): number {
  const velocity = reading?.velocity_tokens_per_turn ?? 0;
  if (reading === null || velocity <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.ceil((share * maxTokens - reading.tokens) / velocity));
}

/**
 * Red and beyond: the context must leave red and leave the answer its room. Each pass protects less than the one
 * before it, from `least` on, and the last tries whatever there is. Answers the tokens freed.
 */
export function compact(
  hook: Hook,
  cause: Cause,
  { target, enough, red }: Pick<Levels, "target" | "enough" | "red">,
  least: ProtectionLevel = "normal",
): number {
  const { session, services } = hook;
  const tokens = () => currentTokens(session, services).tokens;
  const before = tokens();
  for (const protection of PROTECTION_LEVELS.slice(PROTECTION_LEVELS.indexOf(least))) {
    if (protection !== least && tokens() <= enough) break;
    const level = protection === "emergency" ? 1 : Math.max(red, session.reading?.utilization ?? 0);
    runPass(hook, { cause, protection, targetTokens: target, forced: true, level });
  }
  const short = Math.ceil(tokens() - enough);
  if (short > 0) hook.emit("compaction.failed", { reason: "floor", tokens_short: short });
  return before - tokens();
}

/** Work goes window by window, and the step under way does not fit into one: it is made to. */
function withoutExcess(hook: Hook, reading: Reading, levels: Levels): Reading {
  if (reading.tokens <= levels.enough || standsOnFloor(hook)) return reading;
  const freed = hook.with({ scorer: leavingScorer(hook.services) }, () => compact(hook, reading.zone, levels));
  return freed > 0 ? measure(hook, "edit").reading : reading;
}

/** A pass that was asked for, whatever the zone. Answers why nothing was freed; null when something was. */
export function compactNow(hook: Hook, targetUtilization: number | null): string | null {
  const { session, services } = hook;
  const { thresholds } = limitsOf(session, services);
  const target = targetTokens(
    targetUtilization ?? services.settings.eviction.target_utilization,
    thresholds,
    session.maxTokens,
  );
  const { tokens } = currentTokens(session, services);
  if (tokens <= target) return "below_target";
  const level = Math.max(thresholds.red, session.reading?.utilization ?? 0);
  const freed = runPass(hook, { cause: "requested", protection: "normal", targetTokens: target, level, forced: true });
  if (freed > 0) return null;
  return hook.events.findLast((event) => event.type === "compaction.skipped")?.data.reason ?? "nothing_saved";
}

/** A strict budget is acted on by component; the edits are passes of their own. */
function enforceBudgets(hook: Hook): void {
  const { session, services } = hook;
  const mode = services.settings.budget.enforcement;
  if (mode === "global") return;
  for (const demand of enforce(mode, tellBudgets(hook), tallyTools(session).byTool())) {
    // A system prompt over its budget was refused as it came; the other two are advice and the router's.
    if (demand.decision === "refuse" || demand.decision === "advise" || demand.decision === "emergency") continue;
    const tokens = currentTokens(session, services).tokens;
    runPass(hook, {
      cause: "budget",
      protection: "normal",
      level: 0,
      targetTokens: tokens - demand.over_tokens,
      forced: true,
      only: typesOf(demand.component),
    });
  }
}

function typesOf(component: Component) {
  return BLOCK_TYPES.filter((type) => componentOf(type) === component);
}
