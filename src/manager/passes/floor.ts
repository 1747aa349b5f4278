import { type Floor, floorFigures } from "../../compression/index.ts";
import type { Reading } from "../../model/zone.ts";
import { isActive, raiseAlert, resolveAlert } from "../alerts.ts";
import type { Hook } from "../hook.ts";
import { stepTokens } from "../live-context.ts";
import { currentTokens, limitsOf } from "../measure.ts";
import { floorOf } from "./planned-floor.ts";

/** Shares of the window between which a compaction at the floor is worth its break of the provider's prefix. */
const LEAST_WORTH = 0.01;
const MOST_WORTH = 0.05;
/** Share of the room above the floor that may fill up before it is swept: the other part is for the next step. */
const SHARE_OF_ROOM = 0.5;

/**
 * What a compaction could free at most, in tokens as the provider counts them, where the last one failed: what came since,
 * but for the step under way. null where none has failed: then it has to be tried.
 */
function gainAtFloor({ session, services }: Hook): number | null {
  if (session.unfreeable === null) return null;
  return Math.max(0, session.rawTokens - stepTokens(session) - session.unfreeable) * services.calibration;
}

/**
 * Whether a compaction would edit for next to nothing, the last one having shown what cannot be freed. So a session that
 * stands on its floor is swept in batches, not turn after turn. Costs what the current step holds.
 */
export function standsOnFloor(hook: Hook): boolean {
  const gain = gainAtFloor(hook);
  if (gain === null) return false;
  const { maxTokens } = hook.session;
  const { tokens } = currentTokens(hook.session, hook.services);
  // What does not fit at all must go, if that makes it fit.
  if (tokens > maxTokens && tokens - gain <= maxTokens) return false;
  const room = SHARE_OF_ROOM * (maxTokens - (tokens - gain));
  return gain < Math.min(MOST_WORTH * maxTokens, Math.max(LEAST_WORTH * maxTokens, room));
}

/** The floor of a session in red: what the failed compaction left, or else what a plan of the deepest pass comes to. */
function floorNow(hook: Hook): Floor {
  const { session, services } = hook;
  const gain = gainAtFloor(hook);
  if (gain === null) return floorOf(hook);
  const { reserve, thresholds } = limitsOf(session, services);
  const systemTokens = Math.round(session.componentTokens.system_prompt * services.calibration);
  const toolsTokens = Math.round(session.componentTokens.tool_definitions * services.calibration);
  const left = Math.round(currentTokens(session, services).tokens - gain);
  return floorFigures({
    systemTokens,
    toolsTokens,
    protectedTokens: Math.max(0, left - systemTokens - toolsTokens),
    reserveTokens: reserve,
    maxTokens: session.maxTokens,
    red: thresholds.red,
  });
}

/**
 * Tells a floor that reaches red: the event once a window, the alert until it is resolved. Answers its figures while the
 * session is in red because of it; else null. `measure` ends the alert of a session that has left red.
 */
export function tellFloor(hook: Hook, { zone }: Reading): Floor["figures"] | null {
  if (zone !== "red") return null;
  const { session, services } = hook;
  const { figures, contextTokens, reachesRed } = floorNow(hook);
  const { red } = limitsOf(session, services).thresholds;
  const leavesRed = contextTokens < (red - services.settings.pressure.hysteresis) * session.maxTokens;
  if (leavesRed) {
    const share = Math.round((100 * contextTokens) / session.maxTokens);
    resolveAlert(hook, "ContextFloorAboveRed", `What cannot be freed is ${share} % of the window: a pass leaves red.`);
    return null;
  }
  if (!reachesRed) return isActive(session, "ContextFloorAboveRed") ? figures : null;
  if (!session.floorReported) hook.emit("floor.detected", figures);
  const redFrom = Math.ceil(red * session.maxTokens);
  raiseAlert(
    hook,
    "ContextFloorAboveRed",
    `At turn ${session.turn} ${contextTokens} of ${figures.max_tokens} tokens could not be freed, and red begins at ${redFrom}: no pass got the session out of it.`,
  );
  return figures;
}

/**
 * Raises the alert of a breaker that opened, and ends it once a pass makes progress or nothing is left to do. A floor
 * that reaches red explains why nothing can be freed: beside its alert this one says nothing new.
 */
export function tellBreaker(hook: Hook, { zone }: Reading): void {
  const { session } = hook;
  const { openUntilTurn, idlePasses } = session.breaker;
  if (openUntilTurn !== null && zone !== "green") {
    if (isActive(session, "ContextFloorAboveRed")) return;
    const until = `no pass below red before turn ${openUntilTurn}`;
    raiseAlert(hook, "CompactionFailing", `The last passes freed next to nothing of what they were to: ${until}.`);
  } else if (zone === "green" || idlePasses === 0) {
    resolveAlert(hook, "CompactionFailing", zone === "green" ? "The window has room again." : "A pass made progress.");
  }
}
