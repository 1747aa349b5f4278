import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import { type ExportPage, exportSession } from "../export.ts";
import { command, sessionId, wireMessage } from "./command.ts";

const metadataResult = z
  .looseObject({ id: z.string(), family: z.string(), model: z.string(), format: z.string() })
  .describe("First line of the recorded run: also the task, and the system prompt where it stands beside.");

export const sessionExport = command({
  name: "session.export",
  summary:
    "The original messages as the agent sent them, evicted ones too, paged: a recorded run for `contextd replay`.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    limit: z.number().int().min(1).max(1000).default(200).describe("Most messages of a page."),
    cursor: z.string().max(32).optional().describe("`next_cursor` of the page before."),
  }),
  result: z.object({
    metadata: metadataResult,
    messages: z.array(wireMessage),
    total_messages: z.number(),
    next_cursor: z.string().nullable(),
  }),
  async prepare({ journal }, session, params): Promise<ExportPage & { readonly next: string | null }> {
    const { upTo, offset } = placeOf(params.cursor, session.position);
    const page = await exportSession(journal, session.key, { upTo, offset, limit: params.limit });
    const end = offset + page.messages.length;
    return { ...page, next: end < page.total ? `${upTo}.${end}` : null };
  },
  decide(_hook, _params, { prepared: { metadata, messages, total, next } }) {
    return {
      metadata: metadata as z.infer<typeof metadataResult>,
      messages,
      total_messages: total,
      next_cursor: next,
    };
  },
});

/** A cursor names the journal position of the first page, so that all pages are of one state, and the next message. */
function placeOf(cursor: string | undefined, position: number): { upTo: number; offset: number } {
  if (cursor === undefined) return { upTo: position, offset: 0 };
  const [, upTo, offset] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (upTo === undefined || offset === undefined) {
    throw new ContextdError("invalid_params", "`cursor` is not a `next_cursor` of session.export.", { path: "cursor" });
  }
  return { upTo: Math.min(Number(upTo), position), offset: Number(offset) };
}
