import { PROTECTION_LEVELS, type ProtectionLevel } from "../../eviction/index.ts";
import type { WindowCause } from "../../model/events.ts";
import type { Unit } from "../../model/unit.ts";
import { targetTokens } from "../../pressure/index.ts";
import type { Hook } from "../hook.ts";
import { currentTokens, limitsOf, measure } from "../measure.ts";
import type { PassEdit } from "../passes/edit.ts";
import { asksModel } from "../passes/history-summary.ts";
import { makePass } from "../passes/pass.ts";
import { evictionContext, type PassDemand } from "../passes/pass-plan.ts";
import type { Checkpoint } from "../session.ts";
import { bootstrapForm } from "./bootstrap.ts";
import { saveCheckpoint } from "./checkpoint.ts";
import { changesWindows, leavingScorer, worksWindowByWindow } from "./whole-windows.ts";

/** Share of the window that a change nobody asked for must free: less is a floor, which no window cures. */
const LEAST_FREED = 0.05;
/** Turns that an agent which keeps its context itself has to begin the new window, before another one is opened. */
const LEAST_TURNS = 3;
/**
 * What a window carries over in which nothing is freed until it is full: measured over recorded runs (scripts/measure-windows.mjs),
 * less loses more, and more ends the window sooner for little.
 */
const CARRY = { upTo: 0.8, ledger: 1.5 };
const RULE = "window.closed";

/** The window's end by the router: null where it would free next to nothing. */
export function leaveWindow(hook: Hook): Checkpoint | null {
  const { session, services } = hook;
  if (!changesWindows(services)) return null;
  const freed = leaving(hook, "normal").tokens * services.calibration + tokensBeyondOurs(hook);
  return freed < LEAST_FREED * session.maxTokens ? null : changeWindow(hook, "cross_window_save");
}

/**
 * Tokens that were reported and are none of what we hold: an agent that keeps its context itself leaves them behind with
 * the window. 0 while the window is too young for the agent to have done so.
 */
function tokensBeyondOurs({ session, services }: Hook): number {
  const { turn, windowOpened, anchor, rawTokens } = session;
  if (anchor?.source !== "model_reported") return 0;
  if (windowOpened.cause !== "session" && turn - windowOpened.turn < LEAST_TURNS) return 0;
  return Math.max(0, currentTokens(session, services).tokens - rawTokens * services.calibration);
}

/** Whether a new window would leave anything behind. */
export function leavesAnything(hook: Hook): boolean {
  return changesWindows(hook.services) && leaving(hook, "emergency").tokens > 0;
}

/**
 * Closes the window and opens the next, in one pass: what the task, the system and the step under way do not hold leaves
 * the context but for the recent units that fit; ledger and summary are made anew; what is known is saved as a checkpoint,
 * and the new window begins with the bootstrap. Answers the checkpoint.
 *
 * `least`: the level of protection to begin with. `after`: number of a window that the new one comes after, too.
 */
export function changeWindow(
  hook: Hook,
  cause: Exclude<WindowCause, "session">,
  { least = "normal", after = 0 }: { readonly least?: ProtectionLevel; readonly after?: number } = {},
): Checkpoint {
  const { session, services } = hook;
  const { eviction } = services.settings;
  const { reserve, thresholds } = limitsOf(session, services);
  const before = currentTokens(session, services).tokens;
  const floor = before - leaving(hook, "emergency").tokens * services.calibration;
  const usual = targetTokens(eviction.target_utilization, thresholds, session.maxTokens);
  // Below what must stay there is no target: it would leave what is carried over no room at all.
  const target = cause === "overflow" ? usual : Math.max(usual, Math.min(Math.floor(floor), session.maxTokens));
  // A window begins with as much of the recent work as it has room for.
  const level =
    PROTECTION_LEVELS.slice(PROTECTION_LEVELS.indexOf(least)).find(
      (each) => before - leaving(hook, each).tokens * services.calibration <= target,
    ) ?? "emergency";
  const { units, tokens } = leaving(hook, level);
  const demand: PassDemand = {
    cause: cause === "overflow" ? "overflow" : "window",
    protection: level,
    targetTokens: target,
    forced: true,
    level: 1,
    ...(worksWindowByWindow(services)
      ? { carry: { ...CARRY, upTo: Math.min(CARRY.upTo, 1 - reserve / session.maxTokens) } }
      : {}),
  };
  const edits = dropAll(hook, units);
  const step = {
    method: "window",
    threshold: 0,
    outcome: "applied" as const,
    reason: null,
    edits: edits.length,
    discarded: 0,
    tokensFreed: tokens,
  };
  const considered = { blocks: units.reduce((sum, { blocks }) => sum + blocks.length, 0), tokens };
  const plan = { edits, steps: [step], gate: null, shallower: null, considered };
  const number = Math.max(session.windowNumber, after) + 1;
  hook.with({ scorer: leavingScorer(services) }, () => makePass(hook, demand, plan, bootstrapForm(cause, number)));
  const checkpoint = saveCheckpoint(hook, cause === "overflow" ? "overflow" : "window_change");
  hook.emit("window.closed", { window_id: session.windowId, number: session.windowNumber, reason: cause });
  hook.emit("window.opened", {
    window_id: `${session.key.id}#${number}`,
    number,
    max_tokens: session.maxTokens,
    cause,
    checkpoint_id: checkpoint.id,
  });
  measure(hook, "edit");
  return checkpoint;
}

/** The units that go at a level of protection, and their tokens, uncalibrated. */
function leaving(hook: Hook, level: ProtectionLevel): { readonly units: readonly Unit[]; readonly tokens: number } {
  const { units, protection } = evictionContext(hook, level);
  const going = units.filter((unit) => unit.blocks.length > 0 && !protection.keepsUnit(unit));
  return { units: going, tokens: going.reduce((sum, unit) => sum + unit.tokens, 0) };
}

/** Their edits; those that a prepared summary tells of, where all of them go, say so: it takes their place. */
function dropAll({ session, services }: Hook, units: readonly Unit[]): PassEdit[] {
  const { job } = session;
  const ids = new Set(units.flatMap(({ blocks }) => blocks.map(({ id }) => id)));
  const isPrepared = job?.status === "ready" && asksModel(services) && job.blockIds.every((id) => ids.has(id));
  const prepared = new Set(isPrepared ? job.blockIds : []);
  return units.map(({ blocks, tokens }) => ({
    method: "drop",
    blockIds: blocks.map(({ id }) => id),
    tokensBefore: tokens,
    tokensAfter: 0,
    replacementText: null,
    rule: blocks.some(({ id }) => prepared.has(id)) ? "summary.prepared" : RULE,
  }));
}
