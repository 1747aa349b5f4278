import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import { activeAlerts } from "../alerts.ts";
import { takeHistory } from "../history.ts";
import { ingest } from "../ingest.ts";
import { takeWaited, waitedFor } from "../jobs/summary-wait.ts";
import { manage } from "../manage.ts";
import { anchorReported, measure } from "../measure.ts";
import { checkOrder, requireAnswered } from "../order.ts";
import { listCandidates } from "../outlook.ts";
import {
  appliedEdits,
  ledgerResult,
  messageIds,
  patchSince,
  render,
  summaryOfPassResult,
  writtenLedger,
  writtenSummary,
} from "../reply.ts";
import { checkpointResult, reportCheckpoint } from "../windows/checkpoint-report.ts";
import {
  actionResult,
  alertsResult,
  command,
  json,
  mutating,
  readingResult,
  statusResult,
  wireMessage,
} from "./command.ts";

const tokens = z.number().int().min(0);

const result = z.object({
  turn: z.number(),
  window_id: z.string(),
  revision: z.number(),
  action: actionResult,
  status: statusResult,
  reading: readingResult,
  budget: z.record(z.string(), z.unknown()),
  applied: z.array(z.record(z.string(), z.unknown())),
  ledger: ledgerResult
    .nullable()
    .describe("The ledger, when this call wrote it anew: the lines carried over of what has left."),
  summary: summaryOfPassResult
    .nullable()
    .describe("The summary, when this call folded it anew: what has left the context, by sections."),
  candidates: z.array(z.record(z.string(), z.unknown())),
  advice: z.array(z.record(z.string(), z.unknown())),
  alerts: alertsResult,
  checkpoint: checkpointResult
    .nullable()
    .describe("The checkpoint that a new window was opened from; null: the window stays."),
  message_ids: z.array(z.string()).optional(),
  system: json.optional(),
  messages: z.array(wireMessage).optional(),
  patch: z.array(z.record(z.string(), z.unknown())).optional(),
});

export const onTurnStart = command({
  name: "on_turn_start",
  summary: "A model call is about to be made: measures the pressure, edits where needed, hands back the context.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    messages: z.array(wireMessage).max(10_000).optional().describe("Messages that are new since the last call."),
    history: z
      .array(wireMessage)
      .max(100_000)
      .optional()
      .describe("Or the whole list: what is new is found by a hash chain."),
    model_reported: z
      .strictObject({
        input_tokens: tokens.optional(),
        remaining_tokens: tokens.optional(),
        window_tokens: tokens.min(1).optional(),
      })
      .optional()
      .describe("Sizes that the model or the runtime tells: they replace the estimate."),
    estimated_response_tokens: tokens.optional().describe("Tokens the answer will need; else the output reserve."),
    reply: z.enum(["messages", "patch", "decision"]).default("messages"),
    base_revision: tokens.optional().describe("Revision that a patch is to start from."),
  }),
  result,
  arrivals(params, _session, format) {
    if (params.messages && params.history) {
      throw new ContextdError(
        "invalid_params",
        "Give `messages` (what is new) or `history` (the whole list), not both.",
        {
          path: "history",
        },
      );
    }
    if (params.history) {
      return params.history.map((message, index) => ({
        split: format.split(message, `history[${index}]`),
        path: `history[${index}]`,
      }));
    }
    return (params.messages ?? []).map((message, index) => ({
      split: format.split(message, `messages[${index}]`),
      path: `messages[${index}]`,
    }));
  },
  async prepare({ settings, summaryUnderWay }, { reading }) {
    const { max_wait_ms } = settings.compaction;
    // Below orange no pass is due: what was begun early goes on while the agent does.
    const isDue = reading?.zone === "orange" || reading?.zone === "red";
    return max_wait_ms === 0 || !isDue ? null : waitedFor(summaryUnderWay(), max_wait_ms);
  },
  decide(hook, params, { arrivals, prepared }): z.infer<typeof result> {
    const { session } = hook;
    const begin = () => hook.emit("turn.started", { turn: session.turn + 1 });
    if (params.history) takeHistory(hook, arrivals, begin);
    else {
      requireAnswered(checkOrder(session, arrivals));
      begin();
      ingest(hook, arrivals);
    }
    anchorReported(hook, params.model_reported ?? null);
    takeWaited(hook, prepared);
    const managed = manage(hook, measure(hook, "turn"), params.estimated_response_tokens ?? null);
    const events = hook.events;
    return {
      turn: session.turn,
      window_id: session.windowId,
      revision: 0,
      action: managed.action,
      status: session.status,
      reading: managed.reading,
      budget: managed.budget as unknown as Record<string, unknown>,
      applied: appliedEdits(events) as unknown as Record<string, unknown>[],
      ledger: writtenLedger(events),
      summary: writtenSummary(events),
      candidates: managed.action === "evaluate" ? listCandidates(hook) : [],
      advice: managed.advice as unknown as Record<string, unknown>[],
      alerts: activeAlerts(session),
      checkpoint: managed.checkpoint && reportCheckpoint(managed.checkpoint),
    };
  },
  complete({ session, services }, params, stored) {
    const reply = { ...stored, revision: session.revision };
    if (params.reply === "decision") return reply;
    if (params.reply === "patch" && params.base_revision !== undefined) {
      const patch = patchSince(session, params.base_revision, services);
      if (patch) return { ...reply, patch: patch as unknown as Record<string, unknown>[] };
    }
    return { ...reply, message_ids: messageIds(session, services), ...render(session, services) };
  },
});
