import { z } from "zod";
import type { CoreEvent } from "../../model/events.ts";
import { readBody } from "../row.ts";
import { command, sessionId } from "./command.ts";

export const auditList = command({
  name: "audit.list",
  summary: "The session's events from the journal, newest first or in order.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    types: z.array(z.string().max(64)).max(64).optional().describe("Only events of these types."),
    from: z.number().int().min(1).optional().describe("First journal position (oldest first)."),
    limit: z.number().int().min(1).max(1000).default(100).describe("Most journal rows read: each is one call."),
    order: z.enum(["newest", "oldest"]).default("newest"),
  }),
  result: z.object({
    entries: z.array(
      z.object({ position: z.number(), at: z.number(), method: z.string(), type: z.string(), data: z.unknown() }),
    ),
    next_from: z.number().nullable(),
  }),
  prepare: ({ journal }, session, params) =>
    journal.rows(session.key, {
      limit: params.limit,
      newestFirst: params.order === "newest",
      ...(params.from === undefined ? {} : { from: params.from }),
    }),
  decide(_hook, params, { prepared: rows }) {
    const wanted = params.types ? new Set<string>(params.types) : null;
    const entries = rows.flatMap((row) =>
      readBody(row.body)
        .events.filter((event: CoreEvent) => !wanted || wanted.has(event.type))
        .map((event: CoreEvent) => ({
          position: row.sessionSeq,
          at: row.at,
          method: row.hook,
          type: event.type,
          data: event.data,
        })),
    );
    const last = rows.at(-1);
    const more = params.order === "oldest" && last !== undefined && rows.length === params.limit;
    return { entries, next_from: more ? last.sessionSeq + 1 : null };
  },
});
