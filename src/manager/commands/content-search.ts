import { z } from "zod";
import { matchResult, searchContents } from "../search.ts";
import { command, sessionId } from "./command.ts";

export const contentSearch = command({
  name: "content.search",
  summary: "Where a phrase stands or stood: each block that holds it, with the turns in which it was in the context.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    query: z.string().min(1).max(1000),
    limit: z.number().int().min(1).max(200).default(20),
  }),
  result: z.object({ matches: z.array(matchResult) }),
  prepare: async ({ journal }, session, params) => searchContents(journal, session, params.query, params.limit),
  decide: (_hook, _params, { prepared }) => ({ matches: prepared }),
});
