/** The alerts that the daemon serves a runbook for. Those of a rule of the user's own have none here. */
export const RUNBOOKS = new Set([
  "AlertDeliveryFailing",
  "BurnRateSpike",
  "CheckpointRejected",
  "CompactionFailing",
  "CompressionIneffective",
  "ConfigReloadFailed",
  "ContextFloorAboveRed",
  "ContextOverflow",
  "ContextUtilizationCritical",
  "ContextdDown",
  "ContextdWatchdog",
  "EstimatorDrift",
  "EventStreamDropping",
  "EvictionRateHigh",
  "FidelityLow",
  "HookErrorBudgetBurn",
  "HookLatencyHigh",
  "JournalErrors",
  "RegretHigh",
  "ToolResultBloat",
]);

/** Where the runbook of an alert stands: one that it names itself, the daemon's own, or null. */
export function runbookOf({ alert, runbook_url: named }) {
  if (/^https?:\/\//.test(named ?? "")) return named;
  return RUNBOOKS.has(alert) ? `runbooks/${alert}.md` : null;
}
