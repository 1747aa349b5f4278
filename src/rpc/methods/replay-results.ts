import { z } from "zod";
import { LAB_FIGURE_NAMES } from "../../lab/index.ts";

const STATUSES = ["running", "done", "failed", "cancelled"] as const;
export const status = z.enum(STATUSES);

const estimate = z
  .object({ mean: z.number(), low: z.number(), high: z.number(), runs: z.number() })
  .nullable()
  .describe("Mean over runs with its 95 % interval by bootstrap over tasks; null where no run has the figure.");

const progress = z.object({
  done: z.number().describe("Runs that are behind it."),
  total: z.number(),
  run: z.string().nullable().describe("The session that it is at."),
  policy: z.string().nullable().describe("The policy that it is at."),
  policies_done: z.number().describe("Policies of that run that are behind it."),
});

const policyScore = z.object({
  policy: z.string(),
  kind: z.enum(["policy", "profile", "peer", "bound"]),
  runs: z.number(),
  tokens_sent: z.number(),
  variants: z.record(z.string(), z.number()).nullable().describe("How often each variant was the best of a bound."),
  line_recall: estimate,
  far_recall: estimate.describe("Line recall of values last seen more than half a window ago."),
  grounded_recall: estimate.describe("Line recall of values first seen in a tool result or a user message."),
  value_recall: estimate.describe("Share of the needed weight that stood anywhere."),
  relative_cost: estimate.describe("Cost of the prompts over the run's without any management, cache included."),
  needed_again: estimate.describe("Share of the needed weight missed within ten turns after it left the context."),
  edits_per_100_turns: estimate.describe("Turns before which the context was edited, of a hundred."),
  mean_utilization: estimate.describe("Mean tokens of a prompt over the window; above 1 where it does not fit."),
  peak_utilization: estimate.describe("Tokens of the largest prompt over the window."),
});

const pair = z.object({
  figure: z.enum(LAB_FIGURE_NAMES),
  better: z.enum(["more", "less"]),
  a: z.number().nullable(),
  b: z.number().nullable(),
  difference: estimate.describe("B less A, paired run by run."),
  verdict: z
    .enum(["better", "worse", "equal", "unknown"])
    .describe("Of B; `equal`: the interval of the difference holds 0."),
});

const run = z.object({
  id: z.string(),
  turns: z.number(),
  tokens: z.number(),
  window_tokens: z.number(),
  a: z.number().nullable().describe("Line recall under A."),
  b: z.number().nullable(),
  difference: z.number().nullable().describe("B less A."),
  cost_a: z.number(),
  cost_b: z.number(),
  compared_turns: z.number().describe("Turns from the first edit of either policy on."),
  same_turns: z.number().describe("Of these, those in which both sent the same context, message by message."),
});

export const timeline = z.object({
  policy: z.string(),
  variant: z.string().nullable(),
  line_recall: z.number().nullable(),
  relative_cost: z.number(),
  mean_utilization: z.number().describe("Mean tokens of a prompt over the window."),
  peak_utilization: z.number().describe("Tokens of the largest prompt over the window."),
  tokens: z.array(z.number()).describe("Of each request; numbers of requests are from 0."),
  edits: z.array(z.number()).describe("Requests before which the context was edited."),
  lost: z.array(z.object({ turn: z.number(), needs: z.number() })).describe("Requests that lacked needed lines."),
  window_tokens: z.number(),
  thresholds: z.object({ yellow: z.number(), orange: z.number(), red: z.number() }).describe("In tokens."),
});

export const summaryShape = {
  replay_id: z.string(),
  status,
  progress,
  started_at: z.number().describe("Milliseconds since the epoch."),
  seconds: z.number().describe("That it took, or has taken so far."),
  window: z.string(),
  policies_asked: z.array(z.string()).describe("The first two are A and B."),
};

export const getResult = z.object({
  ...summaryShape,
  seed: z.number().nullable().describe("null: the one of `contextd replay`."),
  error: z.object({ reason: z.string(), message: z.string() }).nullable().describe("Why it failed."),
  policies: z.array(policyScore).describe("Empty until it is done; also where no run fits the window."),
  pairs: z.array(pair),
  runs: z.array(run).describe("Those replayed under A and B; worst for B first."),
  timeline: z.object({ run: z.string(), a: timeline, b: timeline }).nullable(),
  skipped: z
    .array(z.object({ id: z.string(), reason: z.string() }))
    .describe("Runs that say nothing at the window, and why."),
  failures: z.array(z.object({ id: z.string(), reason: z.string(), message: z.string() })),
});
