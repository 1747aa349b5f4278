import { z } from "zod";
import { budgetLimits } from "../budget/index.ts";
import { COMPONENTS, type Component } from "../model/block.ts";
import type { Reading } from "../model/zone.ts";
import { activeAlerts } from "./alerts.ts";
import { alertsResult, parentResult, readingResult, statusResult, windowSourceResult } from "./commands/command.ts";
import type { Services } from "./hook.ts";
import { limitsOf, standingFloor } from "./measure.ts";
import type { Session } from "./session.ts";

/** A session in a list: what is known of it without loading it. Kept in the store's session row. */
export const summaryResult = z.object({
  session_id: z.string(),
  agent: z.string(),
  profile: z.string(),
  model: z.string(),
  turn: z.number(),
  window_id: z.string(),
  window_number: z.number(),
  revision: z.number(),
  status: statusResult,
  ...readingResult.shape,
  window_source: windowSourceResult,
  thresholds: z.object({ yellow: z.number(), orange: z.number(), red: z.number() }),
  component_tokens: z.record(z.enum(COMPONENTS), z.number()),
  component_limits: z.record(z.enum(COMPONENTS), z.number()).describe("Hard limits, in tokens."),
  floor_tokens: z
    .number()
    .describe("System prompt, tool definitions, task statement and output reserve: no turn frees them."),
  reserve_tokens: z
    .number()
    .optional()
    .describe("Of `floor_tokens` what is kept free for the answer: it stands in no prompt, and no zone counts it."),
  recent_tokens: z.array(z.number()).describe("The last 28 totals at turn starts, oldest first."),
  last_edit: z.object({ turn: z.number(), tokens_freed: z.number(), strategy: z.string() }).nullable(),
  tokens_freed: z.number(),
  calibration: z.number().describe("Learned factor of reported over estimated tokens of the model."),
  alerts: alertsResult,
  parent: parentResult.nullable().describe("The delegation that the session works for."),
  tokens_arrived: z.number().describe("Tokens that ever came in, uncalibrated: what the session worked through."),
  last_seen: z.number().describe("Milliseconds since the epoch."),
  evicted_blocks: z.number().nullable().describe("Blocks that an edit took from the context, whole or in part."),
  regretted_blocks: z
    .number()
    .nullable()
    .describe(
      "Of these, how many were needed again. Both are null of a session whose last call was to an earlier version.",
    ),
  closed: z.boolean(),
  closed_at: z.number().nullable().describe("When it was closed, milliseconds since the epoch; null while it is open."),
});
export type Summary = z.infer<typeof summaryResult>;

const UNMEASURED: Omit<Reading, "max_tokens" | "window_guessed"> = {
  tokens: 0,
  utilization: 0,
  zone: "green",
  velocity_tokens_per_turn: null,
  turns_until_red: null,
  turns_until_red_p90: null,
  source: "estimated",
};

export function summaryOf(session: Session, services: Pick<Services, "settings" | "model" | "calibration">): Summary {
  const reading = session.reading ?? {
    ...UNMEASURED,
    max_tokens: session.maxTokens,
    window_guessed: session.windowGuessed,
  };
  const { lastEdit } = session;
  const { reserve, thresholds } = limitsOf(session, services);
  return {
    session_id: session.key.id,
    agent: session.agent,
    profile: session.profile,
    model: session.model,
    turn: session.turn,
    window_id: session.windowId,
    window_number: session.windowNumber,
    revision: session.revision,
    status: session.status,
    ...reading,
    window_source: session.windowSource,
    thresholds,
    component_tokens: { ...session.componentTokens },
    component_limits: componentLimits(session, services),
    floor_tokens: Math.round(standingFloor(session) * services.calibration) + reserve,
    reserve_tokens: reserve,
    recent_tokens: [...session.recentTokens],
    last_edit: lastEdit && { turn: lastEdit.turn, tokens_freed: lastEdit.tokensFreed, strategy: lastEdit.strategy },
    tokens_freed: session.tokensFreedTotal,
    calibration: services.calibration,
    alerts: activeAlerts(session),
    parent: session.parent,
    tokens_arrived: session.tokensArrived,
    last_seen: session.lastSeen,
    evicted_blocks: session.regret.tally.evicted,
    regretted_blocks: session.regret.tally.regretted,
    closed: session.closed,
    // Nothing is taken of a closed session: its last call is the one that closed it.
    closed_at: session.closed ? session.lastSeen : null,
  };
}

function componentLimits(session: Session, services: Pick<Services, "settings" | "model">): Record<Component, number> {
  const { allocations, soft_limit_pct } = services.settings.budget;
  const limits = budgetLimits(session.maxTokens, allocations, soft_limit_pct, limitsOf(session, services).reserve);
  return Object.fromEntries(COMPONENTS.map((component) => [component, limits[component].hard])) as Record<
    Component,
    number
  >;
}
