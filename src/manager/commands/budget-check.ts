import { z } from "zod";
import { COMPONENTS } from "../../model/block.ts";
import { budgetOf } from "../budgets.ts";
import { command, sessionId } from "./command.ts";

export const budgetCheckResult = z.object({
  component: z.enum(COMPONENTS),
  used_tokens: z.number(),
  projected_tokens: z.number().describe("Used, and what is to be added."),
  soft_limit_tokens: z.number(),
  hard_limit_tokens: z.number(),
  state: z.enum(["ok", "soft", "hard"]),
});

export const budgetCheck = command({
  name: "budget.check",
  summary: "Would so many more tokens fit the budget of a component?",
  scope: "agent",
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    component: z.enum(COMPONENTS),
    tokens: z.number().int().min(0).default(0).describe("Tokens to be added."),
  }),
  result: budgetCheckResult.extend({ allowed: z.boolean() }),
  decide(hook, params) {
    const check = budgetOf(hook, params.component, params.tokens);
    return { ...check, allowed: check.state !== "hard" };
  },
});
