import { z } from "zod";
import { type SummaryOutcome, takeOutcome } from "../jobs/summary-job.ts";
import { command } from "./command.ts";

/**
 * A summary that was made off the hot path comes back. No method of the RPC: only the manager itself makes this call,
 * with what its summariser delivers.
 */
export const compactionDeliver = command({
  name: "compaction.deliver",
  summary: "Takes in a summary that was made off the hot path.",
  scope: "operator",
  mutates: true,
  params: z.object({ session_id: z.string(), job_id: z.string(), outcome: z.custom<SummaryOutcome>() }),
  result: z.object({ taken: z.boolean() }),
  decide: (hook, { job_id, outcome }) => ({ taken: takeOutcome(hook, job_id, outcome) }),
});
