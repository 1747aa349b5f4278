export { findCandidates } from "./candidates.ts";
export { configureScorer } from "./configure-scorer.ts";
export { DEFAULT_PRICES, gateFigures, paysBack } from "./gate.ts";
export { DEFAULT_MERGE } from "./merge.ts";
export { PLACEHOLDER_TOKENS, placeholder } from "./placeholder.ts";
export {
  type EvictionContext,
  type EvictionDemand,
  type EvictionPlan,
  type PlannedEdit,
  planEviction,
} from "./plan.ts";
export {
  PROTECTION_LEVELS,
  type ProtectionLevel,
  type ProtectionRule,
  type ProtectionSettings,
  protect,
  protectionAt,
} from "./protection.ts";
export type { Scorer, ScoringView } from "./scorer.ts";
export { scorers } from "./scorers/index.ts";
export { scoringView } from "./scoring-view.ts";
export { type Signal, signalsOf } from "./signals.ts";
export { SimilarityIndex } from "./similarity.ts";
export { SupersededIndex } from "./superseded.ts";
export { callKeyOf, keyArgument, parseArguments } from "./tool-arguments.ts";
