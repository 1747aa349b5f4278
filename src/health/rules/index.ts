import type { Registry } from "../../model/strategy.ts";
import type { HealthRule } from "../rule.ts";
import { burnRateSpike } from "./burn-rate-spike.ts";
import { compressionIneffective } from "./compression-ineffective.ts";
import { contextUtilizationCritical } from "./context-utilization-critical.ts";
import { evictionRateHigh } from "./eviction-rate-high.ts";
import { fidelityLow } from "./fidelity-low.ts";
import { regretHigh } from "./regret-high.ts";
import { toolResultBloat } from "./tool-result-bloat.ts";

/** Health rules by the name that `health_monitoring` uses. A new one is one file and one line here. */
export const healthRules = {
  context_utilization_critical: contextUtilizationCritical,
  eviction_rate_high: evictionRateHigh,
  compression_ineffective: compressionIneffective,
  burn_rate_spike: burnRateSpike,
  fidelity_low: fidelityLow,
  tool_result_bloat: toolResultBloat,
  regret_high: regretHigh,
} as const satisfies Registry<HealthRule>;
