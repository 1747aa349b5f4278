export { configureRules } from "./configure-rules.ts";
export { downsample } from "./downsample.ts";
export { HEALTH_METRICS, type HealthMetric, type HealthMetrics, lifeMetrics } from "./metrics.ts";
export { type AlertChange, alertChanges, standings } from "./monitor.ts";
export type { HealthRule } from "./rule.ts";
export { healthRules } from "./rules/index.ts";
export {
  beginTurn,
  type HealthState,
  initialHealth,
  noteCarried,
  noteEdit,
  noteFold,
  noteGrowth,
  notePass,
  noteReading,
  noteRegretted,
} from "./state.ts";
export { type HealthView, viewAt } from "./view.ts";
