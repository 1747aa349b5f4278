import { z } from "zod";
import type { ContextManager } from "../../manager/manager.ts";
import { LEARNED_FROM } from "../../model/window-source.ts";
import { ZONES } from "../../model/zone.ts";
import { type RpcMethod, rpcMethod } from "../method.ts";

/** Figures of the daemon that the manager does not have. */
export interface DaemonFigures {
  readonly version: string;
  uptimeSeconds(): number;
  hooks(tenant: string): {
    readonly total: number;
    readonly perSecond: number;
    readonly errors: number;
    readonly p99Ms: number | null;
  };
  lastSequence(): number;
  totals(tenant: string): { readonly tokensFreed: number; readonly overflows: number };
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
      "The tenant's part of the daemon in figures: sessions by zone, hooks, tokens freed, overflows; the stream's cursor.",
    scope: "agent",
    mutates: false,
    params: z.strictObject({}),
    result: z.object({
      version: z.string(),
      uptime_seconds: z.number(),
      sessions: z.object({ open: z.number(), by_zone: z.record(z.string(), z.number()) }),
      hooks: z.object({
        total: z.number(),
        per_second: z.number(),
        errors: z.number(),
        p99_ms: z.number().nullable().describe("Over the last minute; null without calls."),
      }),
      tokens_freed_total: z.number(),
      overflows_total: z.number(),
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
      return {
        version: figures.version,
        uptime_seconds: figures.uptimeSeconds(),
        sessions: { open, by_zone: byZone },
        hooks: { total: hooks.total, per_second: hooks.perSecond, errors: hooks.errors, p99_ms: hooks.p99Ms },
        tokens_freed_total: totals.tokensFreed,
        overflows_total: totals.overflows,
        alerts,
        models: learnedModels(manager, principal.tenant),
        events: { last_sequence: figures.lastSequence() },
      };
    },
  });
}
