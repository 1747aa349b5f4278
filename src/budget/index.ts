export { assessBudget, type Budget, type BudgetInput, type BudgetState, type ComponentBudget } from "./assess.ts";
export { mcpServerOf, type ServerTokens, ToolTally, type ToolTokens } from "./attribution.ts";
export { type BurnState, burnRate, initialBurn, noteTurn } from "./burn.ts";
export { type BudgetCrossing, type BudgetStates, budgetStates, crossings } from "./crossings.ts";
export { type Enforcement, enforce } from "./enforcement.ts";
export { type Allocations, type BudgetLimits, budgetLimits } from "./limits.ts";
