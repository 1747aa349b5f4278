import { enforce } from "../budget/index.ts";
import { BLOCK_TYPES, type Component, componentOf } from "../model/block.ts";
import type { Action, Reading, Status } from "../model/zone.ts";
import { afterEmergency, type Measurement, outputReserveFree, route, targetTokens } from "../pressure/index.ts";
import { type Advice, adviceOf } from "./advice.ts";
import { tallyTools, tellBudgets } from "./budgets.ts";
import type { Hook } from "./hook.ts";
import { currentTokens, limitsOf, measure } from "./measure.ts";
import { cutLargest, floorOf, runPass } from "./pass.ts";

/** Passes without progress after which a pass below red waits. */
const BREAKER_AFTER = 2;
/** Turns it waits. */
const COOLDOWN_TURNS = 5;

/** What was done at a turn's start. */
export interface Managed {
  readonly action: Action;
  /** The reading that the agent goes on with: after the edits. */
  readonly reading: Reading;
  readonly advice: readonly Advice[];
}

/** Routes a turn by its reading, does what the route says, and measures again. */
export function manage(hook: Hook, measured: Measurement, responseTokens: number | null): Managed {
  const { session, services } = hook;
  const { pressure, eviction } = services.settings;
  const { reserve, thresholds } = limitsOf(session, services);
  const target = targetTokens(eviction.target_utilization, thresholds, session.maxTokens);
  const needed = Math.max(reserve, responseTokens ?? 0);
  const { action, status } = route({
    reading: measured.reading,
    forecastOrange: measured.forecastOrange,
    outputReserveFree: outputReserveFree(measured.reading.tokens, session.maxTokens, needed),
    emergency: pressure.emergency,
    targetTokens: target,
  });
  setStatus(hook, status);
  const edited = act(hook, action, measured, {
    target,
    room: session.maxTokens - needed,
    red: thresholds.red * session.maxTokens,
  });
  const budgetEdited = enforceBudgets(hook);
  const reading = edited || budgetEdited ? measure(hook, "edit").reading : measured.reading;
  tellBudgets(hook);
  const saves = action === "emergency_compaction" ? afterEmergency(reading.utilization) : null;
  const floor = reading.zone === "red" ? tellFloor(hook, thresholds.red) : null;
  return { action: saves ?? action, reading, advice: adviceOf(hook, reading, floor) };
}

function setStatus(hook: Hook, status: Status): void {
  const { session } = hook;
  if (session.status !== status) hook.emit("status.changed", { from: session.status, to: status });
}

interface Levels {
  readonly target: number;
  /** Tokens that leave the answer its room. */
  readonly room: number;
  readonly red: number;
}

/** True when something was edited. */
function act(hook: Hook, action: Action, measured: Measurement, levels: Levels): boolean {
  const { zone } = measured.reading;
  if (action === "none" || action === "evaluate") return false;
  const cause =
    action === "evict" && measured.forecastOrange && (zone === "green" || zone === "yellow") ? "forecast" : zone;
  if (action === "evict") return evict(hook, cause, levels.target);
  return compact(hook, cause, levels) > 0;
}

/** One pass below red: it may wait, and where only a forecast asks for it, it must pay. */
function evict(hook: Hook, cause: Reading["zone"] | "forecast", targetTokens: number): boolean {
  const { session, services } = hook;
  const sinceEdit = session.turn - session.lastEditTurn;
  const waits = services.settings.eviction.min_turns_between_edits;
  if (session.lastEditTurn > 0 && sinceEdit < waits) {
    hook.emit("compaction.skipped", { reason: "min_turns_between_edits", gate: null });
    return false;
  }
  if (session.noProgressPasses >= BREAKER_AFTER && sinceEdit < COOLDOWN_TURNS) {
    hook.emit("compaction.skipped", { reason: "no_progress_breaker", gate: null });
    return false;
  }
  return runPass(hook, { cause, level: "normal", targetTokens, forced: cause !== "forecast" }) > 0;
}

/**
 * Red and beyond: the context must leave red and leave the answer its room. Each level protects less than the one
 * before; what remains too big at the last one is cut to head and tail. Answers the tokens freed.
 */
export function compact(hook: Hook, cause: Reading["zone"] | "forecast" | "overflow", levels: Levels): number {
  const { session, services } = hook;
  const enough = Math.min(levels.room, levels.red - 1);
  const before = currentTokens(session, services).tokens;
  const tokens = () => currentTokens(session, services).tokens;
  runPass(hook, { cause, level: "normal", targetTokens: levels.target, forced: true });
  for (const level of ["aggressive", "emergency"] as const) {
    if (tokens() > enough) runPass(hook, { cause, level, targetTokens: Math.max(levels.target, 0), forced: true });
  }
  if (tokens() > enough) cutLargest(hook, cause, enough);
  if (tokens() > enough)
    hook.emit("compaction.failed", { reason: "floor", tokens_short: Math.ceil(tokens() - enough) });
  return before - tokens();
}

/** A strict budget is acted on by component; the edits are passes of their own. */
function enforceBudgets(hook: Hook): boolean {
  const { session, services } = hook;
  const mode = services.settings.budget.enforcement;
  if (mode === "global") return false;
  let freed = 0;
  for (const demand of enforce(mode, tellBudgets(hook), tallyTools(session).byTool())) {
    if (demand.decision === "refuse" || demand.decision === "advise" || demand.decision === "emergency") continue;
    const tokens = currentTokens(session, services).tokens;
    freed += runPass(hook, {
      cause: "budget",
      level: "normal",
      targetTokens: tokens - demand.over_tokens,
      forced: true,
      only: typesOf(demand.component),
    });
  }
  return freed > 0;
}

function typesOf(component: Component) {
  return BLOCK_TYPES.filter((type) => componentOf(type) === component);
}

/** A floor in red: nothing more can be freed. Told once a window; the figures go with each reply. */
function tellFloor(hook: Hook, red: number) {
  const floor = floorOf(hook);
  if (floor.floor_tokens < red * floor.max_tokens) return null;
  if (!hook.session.floorReported) hook.emit("floor.detected", floor);
  return floor;
}
