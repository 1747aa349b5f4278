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

const params = z.strictObject({
  state: z
    .enum(["open", "closed", "all"])
    .default("open")
    .describe(
      "`closed`: those that were closed and whose events are still kept, the one that closed last first; `all`: the open ones, then these.",
    ),
  zone: z.array(z.enum(ZONES)).optional(),
  agent: z.string().max(256).optional(),
  profile: z.string().max(128).optional(),
  model: z.string().max(256).optional(),
  search: z.string().max(256).optional().describe("Part of the id, agent, profile or model."),
  sort: z
    .enum(Object.keys(SORTS) as [keyof typeof SORTS])
    .default("turns_until_red")
    .describe("Of the open ones."),
  limit: z.number().int().min(1).max(10_000).default(200),
  cursor: z.string().max(32).optional().describe("`next_cursor` of the page before."),
  fields: z.array(z.string().max(64)).max(64).optional().describe("Only these fields of each session, and its id."),
});
type Choice = z.output<typeof params>;

/** Where a page begins: at a place among the open ones, or, behind them, before the journal's row that closed one. */
type Place = { readonly open: number } | { readonly closedBefore: number | null };

interface Page {
  readonly sessions: readonly Summary[];
  readonly next: Place | null;
}

/** Sessions of the caller's tenant, from their summaries: none is loaded for it. */
export function sessionList(manager: ContextManager): RpcMethod {
  const closedFrom = async (tenant: string, choice: Choice, before: number | null, limit: number): Promise<Page> => {
    const { sessions, next } = await manager.closedSessions(tenant, { before, limit, fits: fitting(choice) });
    return { sessions, next: next === null ? null : { closedBefore: next } };
  };
  const read = async (tenant: string, choice: Choice, matching: readonly Summary[], from: Place): Promise<Page> => {
    const { limit, state } = choice;
    if ("closedBefore" in from) return closedFrom(tenant, choice, from.closedBefore, limit);
    const end = from.open + limit;
    const open = matching.slice(from.open, end);
    if (end < matching.length) return { sessions: open, next: { open: end } };
    if (state === "open") return { sessions: open, next: null };
    if (open.length === limit) return { sessions: open, next: { closedBefore: null } };
    const closed = await closedFrom(tenant, choice, null, limit - open.length);
    return { ...closed, sessions: [...open, ...closed.sessions] };
  };
  return rpcMethod({
    name: "session.list",
    summary: "Sessions of the tenant, open or closed: filtered, sorted, paged, with the fields asked for.",
    scope: "agent",
    mutates: false,
    params,
    result: z.object({
      total: z
        .number()
        .nullable()
        .describe(
          "Those that fit. Closed ones are counted up to 10,000; null where a choice among them is not counted.",
        ),
      sessions: z.array(summaryResult.partial()),
      next_cursor: z
        .string()
        .nullable()
        .describe("null: that was the last page. A page of closed sessions may be short, or empty, before that."),
    }),
    async call({ principal: { tenant } }, choice) {
      const place = placeOf(choice);
      const matching = choice.state === "closed" ? [] : openOnes(manager, tenant, choice);
      const { sessions, next } = await read(tenant, choice, matching, place);
      const closed = choice.state === "open" ? 0 : isChosen(choice) ? null : await manager.closedCount(tenant);
      return {
        total: closed === null ? null : matching.length + closed,
        sessions: choice.fields ? sessions.map((summary) => pick(summary, choice.fields ?? [])) : [...sessions],
        next_cursor: next === null ? null : cursorOf(next),
      };
    },
  });
}

function openOnes(manager: ContextManager, tenant: string, choice: Choice): Summary[] {
  const fits = fitting(choice);
  return [...manager.summaries(tenant)]
    .map(({ summary }) => summary)
    .filter(fits)
    .sort(SORTS[choice.sort]);
}

function isChosen({ zone, agent, profile, model, search }: Choice): boolean {
  return [zone, agent, profile, model, search].some((choice) => choice !== undefined);
}

function fitting({ zone, agent, profile, model, search }: Choice): (summary: Summary) => boolean {
  const needle = search?.toLowerCase();
  return (summary) =>
    (!zone || zone.includes(summary.zone)) &&
    (agent === undefined || summary.agent === agent) &&
    (profile === undefined || summary.profile === profile) &&
    (model === undefined || summary.model === model) &&
    (needle === undefined ||
      [summary.session_id, summary.agent, summary.profile, summary.model].some((text) =>
        text.toLowerCase().includes(needle),
      ));
}

function cursorOf(place: Place): string {
  return "open" in place ? String(place.open) : `c${place.closedBefore ?? ""}`;
}

function placeOf({ cursor, state }: Choice): Place {
  if (cursor === undefined) return state === "closed" ? { closedBefore: null } : { open: 0 };
  const isClosed = cursor.startsWith("c");
  const isOurs = isClosed ? /^c\d{0,15}$/.test(cursor) && state !== "open" : /^\d{1,9}$/.test(cursor);
  if (!isOurs || (!isClosed && state === "closed")) {
    throw new ContextdError(
      "invalid_params",
      "`cursor` is not a `next_cursor` of session.list for sessions in this `state`.",
      { path: "cursor" },
    );
  }
  if (!isClosed) return { open: Number(cursor) };
  return { closedBefore: cursor === "c" ? null : Number(cursor.slice(1)) };
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
