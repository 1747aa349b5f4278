import { z } from "zod";
import type { ContextManager } from "../../manager/manager.ts";
import { type Summary, summaryResult } from "../../manager/summary.ts";
import { ContextdError } from "../../model/errors.ts";
import { ZONES } from "../../model/zone.ts";
import { type RpcMethod, rpcMethod } from "../method.ts";

const SORTS = {
  turns_until_red: (a: Summary, b: Summary) => soon(a) - soon(b) || b.utilization - a.utilization,
  utilization: (a: Summary, b: Summary) => b.utilization - a.utilization,
  last_seen: (a: Summary, b: Summary) => b.last_seen - a.last_seen,
  session_id: (a: Summary, b: Summary) => (a.session_id < b.session_id ? -1 : 1),
} as const;

function soon(summary: Summary): number {
  return summary.zone === "red" ? -1 : (summary.turns_until_red ?? Number.MAX_SAFE_INTEGER);
}

/** Sessions of the caller's tenant, from their summaries: none is loaded for it. */
export function sessionList(manager: ContextManager): RpcMethod {
  return rpcMethod({
    name: "session.list",
    summary: "Open sessions of the tenant: filtered, sorted, paged, with the fields asked for.",
    scope: "agent",
    mutates: false,
    params: z.strictObject({
      zone: z.array(z.enum(ZONES)).optional(),
      agent: z.string().max(256).optional(),
      profile: z.string().max(128).optional(),
      model: z.string().max(256).optional(),
      search: z.string().max(256).optional().describe("Part of the id, agent, profile or model."),
      sort: z.enum(Object.keys(SORTS) as [keyof typeof SORTS]).default("turns_until_red"),
      limit: z.number().int().min(1).max(10_000).default(200),
      cursor: z.string().max(32).optional().describe("`next_cursor` of the page before."),
      fields: z.array(z.string().max(64)).max(64).optional().describe("Only these fields of each session, and its id."),
    }),
    result: z.object({
      total: z.number(),
      sessions: z.array(summaryResult.partial()),
      next_cursor: z.string().nullable(),
    }),
    async call({ principal }, params) {
      const offset = cursorOffset(params.cursor);
      const needle = params.search?.toLowerCase();
      const matching = [...manager.summaries(principal.tenant)]
        .map(({ summary }) => summary)
        .filter(
          (summary) =>
            (!params.zone || params.zone.includes(summary.zone)) &&
            (params.agent === undefined || summary.agent === params.agent) &&
            (params.profile === undefined || summary.profile === params.profile) &&
            (params.model === undefined || summary.model === params.model) &&
            (needle === undefined ||
              [summary.session_id, summary.agent, summary.profile, summary.model].some((text) =>
                text.toLowerCase().includes(needle),
              )),
        )
        .sort(SORTS[params.sort]);
      const page = matching.slice(offset, offset + params.limit);
      const end = offset + page.length;
      return {
        total: matching.length,
        sessions: params.fields ? page.map((summary) => pick(summary, params.fields ?? [])) : page,
        next_cursor: end < matching.length ? String(end) : null,
      };
    },
  });
}

function cursorOffset(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,9}$/.test(cursor)) {
    throw new ContextdError("invalid_params", "`cursor` is not a `next_cursor` of session.list.", { path: "cursor" });
  }
  return Number(cursor);
}

function pick(summary: Summary, fields: readonly string[]): Partial<Summary> {
  const wanted = new Set(["session_id", ...fields]);
  const unknown = fields.filter((field) => !(field in summaryResult.shape));
  if (unknown.length > 0) {
    throw new ContextdError(
      "invalid_params",
      `\`fields\` names no field of a session; legal: ${Object.keys(summaryResult.shape).join(", ")}.`,
      {
        path: "fields",
      },
    );
  }
  return Object.fromEntries(Object.entries(summary).filter(([field]) => wanted.has(field)));
}
