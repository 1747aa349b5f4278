import { matching } from "./promql.ts";

/**
 * Answers that are a fault of the daemon. A call that the agent made wrongly, or that came over its tenant's limit, is
 * answered as it should be; the alert HookErrorBudgetBurn counts the same way.
 */
export const FAULTS = matching("internal_error|storage_unavailable|overloaded|quarantined");

/** The calls that an agent waits for in every turn. */
export const HOOKS = matching("on_.+");

/** Share of hooks that may fail. */
export const ERROR_BUDGET = 0.001;

/** Seconds that 99 of 100 hooks may take. */
export const SLOW_HOOK_SECONDS = 0.1;
