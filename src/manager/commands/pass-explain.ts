import { z } from "zod";
import { explain, type PassMaterial, readMaterial } from "../explain/explanation.ts";
import { type Explanation, explanationResult } from "../explain/result.ts";
import { command, sessionId } from "./command.ts";

const params = z.strictObject({
  session_id: sessionId,
  pass_id: z.string().min(1).max(64).describe("As `history.compacted` names it, `context.explain` and `audit.list`."),
});

export const passExplain = command<z.infer<typeof params>, Explanation, PassMaterial>({
  name: "pass.explain",
  summary:
    "One pass, whole: why it was made, the context before and after it, what it took with scores, what it carried over, what was needed again, and whether it paid.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: false,
  params,
  result: explanationResult,
  prepare: ({ journal }, session, { pass_id }) => readMaterial(journal, session, pass_id),
  decide: ({ session, services }, _params, { prepared }) => explain(prepared, session, services),
});
