export { assessBudget, type Budget } from "./assess.ts";
export { ToolTally } from "./attribution.ts";
export { type BurnState, initialBurn, noteTurn } from "./burn.ts";
export { tokensByComponent } from "./components.ts";
export { type BudgetStates, crossings } from "./crossings.ts";
export { enforce } from "./enforcement.ts";
export { budgetLimits } from "./limits.ts";
