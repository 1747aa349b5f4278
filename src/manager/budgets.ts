import {
  assessBudget,
  type Budget,
  type BudgetStates,
  budgetLimits,
  crossings,
  ToolTally,
  tokensByComponent,
} from "../budget/index.ts";
import { COMPONENTS, type Component } from "../model/block.ts";
import type { Reading } from "../model/zone.ts";
import type { Hook } from "./hook.ts";
import { currentTokens, limitsOf, measure } from "./measure.ts";
import type { Session } from "./session.ts";

/** Every component of the session against its budget, now or with `incoming` tokens more, as the provider counts them. */
export function budgetNow(hook: Hook, incoming: Partial<Record<Component, number>> = {}): Budget {
  const { session, services } = hook;
  const { allocations, soft_limit_pct } = services.settings.budget;
  const { tokens } = currentTokens(session, services);
  return assessBudget({
    used: tokensByComponent(tokens, session.componentTokens),
    scale: session.rawTokens > 0 ? tokens / session.rawTokens : 1,
    incoming,
    contextTokens: tokens,
    maxTokens: session.maxTokens,
    limits: budgetLimits(session.maxTokens, allocations, soft_limit_pct, limitsOf(session, services).reserve),
    burn: session.burn,
  });
}

/** Tells limits that were exceeded, and components that came back, once each. */
export function tellBudgets(hook: Hook): Budget {
  const budget = budgetNow(hook);
  const before: BudgetStates = hook.session.budgetStates;
  for (const event of crossings(before, budget)) hook.emit(event.type, event.data);
  for (const component of COMPONENTS) {
    const { state, used_tokens } = budget[component];
    const was = before[component] ?? "ok";
    if (state !== "hard" && (was === "hard" || (was === "soft" && state === "ok"))) {
      hook.emit("budget.recovered", { component, used_tokens, state });
    }
  }
  return budget;
}

/** The budget as replies show it. */
export function budgetReport(hook: Hook): Record<string, unknown> {
  return budgetNow(hook) as unknown as Record<string, unknown>;
}

/** One component's check, with `incoming` tokens more. */
export function budgetOf(hook: Hook, component: Component, incoming = 0) {
  return checkOf(budgetNow(hook, { [component]: incoming }), component);
}

/** One component's check, of budgets that are known. */
export function checkOf(budget: Budget, component: Component) {
  const { used_tokens, projected_tokens, soft_limit_tokens, hard_limit_tokens, state } = budget[component];
  return { component, used_tokens, projected_tokens, soft_limit_tokens, hard_limit_tokens, state };
}

/** Live tokens by tool and by MCP server. Linear in the live blocks: for reports, not for hooks. */
export function tallyTools(session: Session): ToolTally {
  const tally = new ToolTally();
  for (const block of session.blocks.values()) {
    if (!block.tool || block.tool.name === "") continue;
    if (block.type === "tool_definition") tally.add("definition", block.tool.name, block.tokens);
    else if (block.type === "tool_result") tally.add("result", block.tool.name, block.tokens);
  }
  return tally;
}

export function attributionOf(hook: Hook) {
  const tally = tallyTools(hook.session);
  return { tools: tally.byTool(), servers: tally.byServer() };
}

/** A measurement between turn starts: the reading, and the budgets, of which it tells those that are exceeded. */
export function measureWithinTurn(hook: Hook): { readonly reading: Reading; readonly budget: Budget } {
  const { reading } = measure(hook, "within");
  return { reading, budget: tellBudgets(hook) };
}
