import { z } from "zod";
import { attributionOf, budgetReport } from "../budgets.ts";
import { delegatedOf, delegatedResult } from "../delegation.ts";
import { command, sessionId } from "./command.ts";

export const budgetReportCommand = command({
  name: "budget.report",
  summary: "Every component's budget: used, limits, burn rate, turns remaining; tokens of each tool and MCP server.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({ session_id: sessionId }),
  result: z.object({
    components: z.record(z.string(), z.unknown()),
    tools: z.unknown(),
    servers: z.unknown(),
    delegated: delegatedResult,
  }),
  decide: (hook) => ({ components: budgetReport(hook), ...attributionOf(hook), delegated: delegatedOf(hook) }),
});
