import type { Component } from "../model/block.ts";
import type { EventData } from "../model/events.ts";
import {
  effectiveThresholds,
  type Measurement,
  measureTurn,
  measureWithin,
  outputReserve,
  type PressureInput,
  remeasure,
} from "../pressure/index.ts";
import {
  estimateContext,
  keptOutputTokens,
  promptOverhead,
  promptTokens,
  type ReportedUsage,
} from "../tokens/index.ts";
import { resolveAlert } from "./alerts.ts";
import type { Hook, Services } from "./hook.ts";
import type { Session } from "./session.ts";

/** What a session's settings come to in tokens and shares of its window. */
export function limitsOf(session: Session, services: Pick<Services, "settings" | "model">) {
  const { budget, pressure } = services.settings;
  const reserve = outputReserve(session.maxTokens, budget.allocations.output_reserved);
  return { reserve, thresholds: effectiveThresholds(pressure.thresholds, session.maxTokens, reserve) };
}

/** Tokens of the context as the provider will count them, and how that is known. */
export function currentTokens(session: Session, services: Pick<Services, "calibration" | "model">) {
  const overhead = promptOverhead(session.format, session.tools.length > 0);
  return estimateContext({
    rawTokens: session.rawTokens + overhead,
    anchor: session.anchor && { ...session.anchor, rawTokens: session.anchor.rawTokens + overhead },
    factor: services.calibration,
    exactEncoding: services.model.exact,
  });
}

/** System prompt, tool definitions and the task statement, raw: what no turn frees. */
export function standingFloor(session: Session): number {
  const task = session.messages.find((message) => message.role === "user");
  const taskTokens = task?.blocks.reduce((sum, block) => sum + block.tokens, 0) ?? 0;
  return session.componentTokens.system_prompt + session.componentTokens.tool_definitions + taskTokens;
}

/** Uncalibrated tokens of the prompt as it stands, what the wire adds included. */
export function estimatedPrompt({ format, tools, rawTokens }: Session): number {
  return rawTokens + promptOverhead(format, tools.length > 0);
}

type Moment = EventData["pressure.measured"]["moment"];

function inputOf(hook: Hook, addedTokens: number | null): PressureInput {
  const { session, services } = hook;
  const { pressure } = services.settings;
  const { tokens, source } = currentTokens(session, services);
  return {
    tokens,
    addedTokens,
    maxTokens: session.maxTokens,
    thresholds: limitsOf(session, services).thresholds,
    hysteresis: pressure.hysteresis,
    velocityWindow: pressure.velocity_window,
    spikeFactor: pressure.spike_factor,
    forecastTurns: pressure.forecast_turns,
    source,
    windowGuessed: session.windowGuessed,
  };
}

/**
 * What the running turn has added. Content that came in counts by itself, so that a corrected estimate is not
 * taken for growth; a size that was only reported counts by its rise.
 */
function addedTokens(hook: Hook): number | null {
  const { session, services } = hook;
  const freed = Object.values(session.freedSinceLastTurn).reduce((sum, tokens) => sum + tokens, 0);
  const added = session.rawTokens - session.rawAtLastTurn + freed;
  if (added <= 0 && session.anchor?.source === "model_reported") return null;
  return Math.round(Math.max(0, added) * services.calibration);
}

const MEASURES = { turn: measureTurn, within: measureWithin, edit: remeasure } as const;

/**
 * Measures the pressure and tells it: the reading, a zone that changed and by what, a spike. A session that is not in red
 * shows that its floor does not hold it there: that alert ends, whatever got it out.
 */
export function measure(
  hook: Hook,
  moment: Moment,
  cause: EventData["zone.changed"]["cause"] = moment === "edit" ? "edit" : "growth",
): Measurement {
  const { session } = hook;
  const added = moment === "edit" ? null : addedTokens(hook);
  const measured = MEASURES[moment](session.pressure, inputOf(hook, added));
  hook.emit("pressure.measured", {
    ...measured.reading,
    growth_tokens: measured.growthTokens,
    turn: session.turn,
    moment,
    tool_result_bloat: session.rawTokens > 0 ? session.componentTokens.tool_results / session.rawTokens : 0,
    components: heldComponents(session),
  });
  if (measured.zoneChange) {
    hook.emit("zone.changed", {
      ...measured.zoneChange,
      utilization: measured.reading.utilization,
      tokens: measured.reading.tokens,
      velocity: measured.reading.velocity_tokens_per_turn,
      turns_until_red: measured.reading.turns_until_red,
      cause,
    });
  }
  const { zone, utilization } = measured.reading;
  if (zone !== "red") {
    const share = Math.round(100 * utilization);
    resolveAlert(hook, "ContextFloorAboveRed", `The session is out of red, at ${share} % of the window.`);
  }
  if (measured.spike) {
    hook.emit("velocity.spiked", {
      growth_tokens: measured.spike.growth,
      baseline_tokens: measured.spike.baseline,
      turn: session.turn,
    });
  }
  return measured;
}

/** Uncalibrated tokens by component; those that hold nothing are left out. */
function heldComponents({ componentTokens }: Session): Partial<Record<Component, number>> {
  return Object.fromEntries(Object.entries(componentTokens).filter(([, tokens]) => tokens > 0));
}

/** Sizes told by the model or the runtime replace the estimate until content changes it again. */
export function anchorReported(
  hook: Hook,
  reported: {
    input_tokens?: number | undefined;
    remaining_tokens?: number | undefined;
    window_tokens?: number | undefined;
  } | null,
): void {
  if (!reported) return;
  const { session } = hook;
  if (reported.window_tokens !== undefined && reported.window_tokens !== session.maxTokens) {
    hook.emit("window.resized", { max_tokens: reported.window_tokens, learned_from: "model_reported" });
  }
  const tokens =
    reported.input_tokens ??
    (reported.remaining_tokens === undefined ? null : Math.max(0, session.maxTokens - reported.remaining_tokens));
  if (tokens === null) return;
  hook.emit("usage.anchored", { tokens, raw_tokens: session.rawTokens, source: "model_reported" });
}

/**
 * Anchors the count on the usage of the call that just ended: the prompt as it was sent, and what is kept of the
 * answer, which is in the context by now. `rawBefore` is our count of that prompt.
 */
export function anchorUsage(hook: Hook, usage: ReportedUsage, rawBefore: number): void {
  const { session } = hook;
  const prompt = promptTokens(session.format, usage);
  const told = usage.output_tokens !== undefined;
  const tokens = told ? prompt + keptOutputTokens(session.format, usage) : prompt;
  hook.emit("usage.anchored", { tokens, raw_tokens: told ? session.rawTokens : rawBefore, source: "anchored" });
}
