import { z } from "zod";
import {
  downsample,
  HEALTH_METRICS,
  type HealthMetric,
  type HealthMetrics,
  standings,
  viewAt,
} from "../../health/index.ts";
import { COMPONENTS } from "../../model/block.ts";
import { SEVERITIES, WINDOW_CAUSES } from "../../model/events.ts";
import { ZONES } from "../../model/zone.ts";
import { isActive } from "../alerts.ts";
import { MOST_TREND_ROWS, readTrend } from "../trend.ts";
import { command, sessionId } from "./command.ts";

const metricsResult = z
  .partialRecord(z.enum(HEALTH_METRICS), z.number().nullable())
  .describe("The metrics asked for, over the ten turns up to then; null: nothing to tell it from yet.");

export const trendReport = command({
  name: "trend.report",
  summary: "How the session's context and its health went from turn to turn, and how they stand against the rules.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    metrics: z
      .array(z.enum(HEALTH_METRICS))
      .min(1)
      .max(HEALTH_METRICS.length)
      .default([...HEALTH_METRICS])
      .describe("Metrics to tell; all by default."),
    max_points: z
      .number()
      .int()
      .min(2)
      .max(100_000)
      .optional()
      .describe(
        "Most points: of each stretch the lowest and the highest by tokens. Those before and after an edit are all kept, " +
          "whatever their number.",
      ),
  }),
  result: z.object({
    session_id: z.string(),
    turn: z.number(),
    points: z
      .array(
        z.object({
          position: z.number().describe("Of the call in the journal."),
          at: z.number().describe("Milliseconds since the epoch."),
          turn: z.number(),
          moment: z.enum(["turn", "edit"]).describe("`turn`: at its start, before any edit; `edit`: after one."),
          tokens: z.number(),
          utilization: z.number(),
          zone: z.enum(ZONES),
          window_number: z.number(),
          components: z
            .partialRecord(z.enum(COMPONENTS), z.number())
            .describe(
              "Of `tokens`, by component: our count scaled to the reading, so that together they are `tokens`. Empty where " +
                "nothing is known of what the context held: an older version told the reading, or only its size was reported.",
            ),
          metrics: metricsResult,
        }),
      )
      .describe("Oldest first."),
    total_points: z.number().describe("Points before they were thinned out."),
    from_position: z
      .number()
      .describe(`First position that was read: above 1 where the session has more than ${MOST_TREND_ROWS} rows.`),
    windows: z
      .array(
        z.object({
          number: z.number(),
          from_turn: z.number().describe("The turn in which it was opened; 0: before the first."),
          to_turn: z.number().nullable().describe("The turn in which it was closed; null: it is open."),
          reason: z.string().nullable().describe("Why it was closed; null: it is open."),
          cause: z.enum(WINDOW_CAUSES).nullable().describe("Why it was opened; null: before `from_position`."),
          max_tokens: z.number().describe("Its size as last told."),
        }),
      )
      .describe("The session's windows in their order, from the one at `from_position` on."),
    now: metricsResult,
    rules: z
      .array(
        z.object({
          alert: z.string(),
          severity: z.enum(SEVERITIES),
          level: z.enum(["bad", "between", "good"]).nullable().describe("null: there is nothing to judge by yet."),
          summary: z.string().nullable(),
          firing: z.boolean(),
        }),
      )
      .describe("The health rules that are on, and what each says of the running turn."),
  }),
  prepare: ({ journal }, session) => readTrend(journal, session.key, session),
  decide({ session, services }, { metrics: wanted, max_points: most }, { prepared: { from, points, windows } }) {
    const curve = points.map(({ tokens, moment }, at) => ({
      value: tokens,
      isKept: moment === "edit" || points[at + 1]?.moment === "edit",
    }));
    const shown = most === undefined ? points : downsample(curve, most).flatMap((at) => points[at] ?? []);
    const view = viewAt(session.health, 0);
    return {
      session_id: session.key.id,
      turn: session.turn,
      points: shown.map((point) => ({ ...point, metrics: only(point.metrics, wanted) })),
      total_points: points.length,
      from_position: from,
      windows: [...windows],
      now: view ? only(view.metrics, wanted) : {},
      rules: standings(services.healthRules, session.health).map(({ rule: { alert, severity }, judgement }) => ({
        alert,
        severity,
        level: judgement?.level ?? null,
        summary: judgement?.summary ?? null,
        firing: isActive(session, alert),
      })),
    };
  },
});

function only(metrics: HealthMetrics, wanted: readonly HealthMetric[]): Partial<HealthMetrics> {
  return Object.fromEntries(wanted.map((name) => [name, metrics[name]]));
}
