import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import { MOST_AUDITED, readAudit } from "../audit.ts";
import { command, sessionId } from "./command.ts";

export const auditList = command({
  name: "audit.list",
  summary: "The session's events from the journal, newest first or in order, a page at a time.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    types: z.array(z.string().max(64)).max(64).optional().describe("Only events of these types."),
    from: z.number().int().min(1).optional().describe("First journal position (oldest first)."),
    before: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe("Newest first: only positions below this one, as `next_before` of the page before."),
    limit: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .default(100)
      .describe("Most journal rows answered, each one call; with `types`, of rows that hold such events."),
    order: z.enum(["newest", "oldest"]).default("newest"),
  }),
  result: z.object({
    entries: z.array(
      z.object({
        position: z.number(),
        at: z.number(),
        method: z.string(),
        turn: z.number().nullable().describe("null: neither the event nor its call says."),
        type: z.string(),
        data: z.unknown(),
      }),
    ),
    next_from: z.number().nullable().describe("Oldest first: `from` of the next page; null: there is none."),
    next_before: z
      .number()
      .nullable()
      .describe(
        `Newest first: \`before\` of the next page; null: there is none. A page of few types may be short, since it ends ` +
          `after ${MOST_AUDITED} rows.`,
      ),
  }),
  prepare({ journal }, session, { types = null, from, before, limit, order }) {
    const newestFirst = order === "newest";
    if (before !== undefined && (!newestFirst || from !== undefined)) {
      throw new ContextdError("invalid_params", "`before` is for newest first, and takes the place of `from`.", {
        path: "before",
      });
    }
    // The first position has nothing before it.
    if (before === 1) return Promise.resolve({ entries: [], next: null });
    const first = before === undefined ? (from ?? null) : before - 1;
    return readAudit(journal, session.key, session.position, { types, from: first, newestFirst, limit });
  },
  decide(_hook, { order }, { prepared: { entries, next } }) {
    const newestFirst = order === "newest";
    return {
      entries: [...entries],
      next_from: newestFirst ? null : next,
      next_before: newestFirst && next !== null ? next + 1 : null,
    };
  },
});
