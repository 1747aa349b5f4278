import { z } from "zod";
import type { ContextManager } from "../../manager/manager.ts";
import { LEARNED_FROM } from "../../model/window-source.ts";
import { ZONES } from "../../model/zone.ts";
import type { TenantTotals } from "../../telemetry/totals.ts";
import type { CallTotals } from "../call-figures.ts";
import { type RpcMethod, rpcMethod } from "../method.ts";
import { SCOPES } from "../scope.ts";
import { historyResult, type StatusHistory } from "../status-history.ts";

/** Figures of the daemon that the manager does not have. */
export interface DaemonFigures {
  readonly version: string;
  uptimeSeconds(): number;
  hooks(tenant: string): CallTotals;
  lastSequence(): number;
  totals(tenant: string): TenantTotals;
  /** The last hour; see `historyOf`. */
  history(tenant: string): StatusHistory;
}

/** Models listed: a tenant has a handful, but agents choose the names. */
const MODELS_LISTED = 50;

function learnedModels(manager: ContextManager, tenant: string) {
  return manager
    .learnedModels(tenant)
    .slice(0, MODELS_LISTED)
    .map(({ model, factor, window, at }) => ({
      model,
      factor,
      window: window?.limit ?? null,
      learned_from: window?.learnedFrom ?? null,
      at,
    }));
}

export function statusReport(manager: ContextManager, figures: DaemonFigures): RpcMethod {
  return rpcMethod({
    name: "status.report",
    summary:
      "The tenant's part of the daemon in figures: sessions by zone, hooks, tokens freed, cost saved, regret, overflows, the last hour; the stream's cursor. Totals are since the daemon's start.",
    scope: "agent",
    mutates: false,
    params: z.strictObject({}),
    result: z.object({
      version: z.string(),
      tenant: z.string().describe("The caller's."),
      scopes: z.array(z.enum(SCOPES)).describe("What the caller's token may do."),
      uptime_seconds: z.number(),
      sessions: z.object({ open: z.number(), by_zone: z.record(z.string(), z.number()) }),
      hooks: z
        .object({
          total: z.number(),
          per_second: z.number().describe("Over the last minute."),
          errors: z.number().describe("Hooks that were answered by an error, whoever was at fault."),
          p99_ms: z.number().nullable().describe("Over the last minute; null without hooks."),
        })
        .describe("Calls of on_turn_start, on_tool_result, on_turn_end and on_overflow; system.report has all calls."),
      tokens_freed_total: z.number(),
      overflows_total: z.number(),
      overflows_last_hour: z
        .number()
        .describe("Of the minutes of `history`, or since the daemon's start where that was less than an hour ago."),
      cost_saved: z
        .object({
          tokens: z
            .number()
            .describe(
              "What passes saved the model calls that followed them, less what the edits cost, in fresh input tokens: of each call min(tokens freed in its window, room left in it) * read price, once for each pass (tokens rewritten + carried) * (write - read price). Negative where edits have not paid back yet.",
            ),
          share: z
            .number()
            .nullable()
            .describe(
              "The same over what the calls would have cost without edits, of calls in edited sessions whose usage tells of the cache; null without any.",
            ),
        })
        .describe("Of passes that the gate weighed, against an agent that never edits and reads all from the cache."),
      regret: z.object({
        evicted: z.number().describe("Times that content of a block left the context."),
        needed_again: z.number().describe("Blocks that were needed again within ten turns."),
      }),
      estimator_error: z
        .number()
        .nullable()
        .describe(
          "Mean of (estimated - reported) / reported over the prompts that a provider counted, before calibration; null without any.",
        ),
      history: historyResult,
      alerts: z.array(z.unknown()).describe("Alerts that fire now, with the session that raised each."),
      models: z
        .array(
          z.object({
            model: z.string(),
            factor: z.number().describe("Reported over estimated tokens."),
            window: z
              .number()
              .nullable()
              .describe("Limit of a prompt in tokens; null: none was learned, or none is believed."),
            learned_from: z.enum(LEARNED_FROM).nullable(),
            at: z.number().describe("When something was last learned of it, ms since the epoch."),
          }),
        )
        .describe("What was learned of models, the newest first; at most 50."),
      events: z.object({ last_sequence: z.number() }),
    }),
    async call({ principal }) {
      const byZone: Record<string, number> = Object.fromEntries(ZONES.map((zone) => [zone, 0]));
      const alerts: unknown[] = [];
      let open = 0;
      for (const { summary } of manager.summaries(principal.tenant)) {
        open++;
        for (const alert of summary.alerts) alerts.push({ session_id: summary.session_id, ...alert });
        byZone[summary.zone] = (byZone[summary.zone] ?? 0) + 1;
      }
      const hooks = figures.hooks(principal.tenant);
      const totals = figures.totals(principal.tenant);
      const history = figures.history(principal.tenant);
      return {
        version: figures.version,
        tenant: principal.tenant,
        scopes: SCOPES.filter((scope) => principal.scopes.has(scope)),
        uptime_seconds: figures.uptimeSeconds(),
        sessions: { open, by_zone: byZone },
        hooks: { total: hooks.total, per_second: hooks.perSecond, errors: hooks.errors, p99_ms: hooks.p99Ms },
        tokens_freed_total: totals.tokensFreed,
        overflows_total: totals.overflows,
        overflows_last_hour: (history.overflows ?? []).reduce((sum, n) => sum + n, 0),
        cost_saved: totals.costSaved,
        regret: { evicted: totals.evicted, needed_again: totals.neededAgain },
        estimator_error: totals.estimatorError,
        history,
        alerts,
        models: learnedModels(manager, principal.tenant),
        events: { last_sequence: figures.lastSequence() },
      };
    },
  });
}
