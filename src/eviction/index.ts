export type { Candidate, PlannedMethod } from "./candidates.ts";
export { configureScorer, type ScorerSettings } from "./configure-scorer.ts";
export { type CachePrices, DEFAULT_PRICES, gateFigures, paysBack } from "./gate.ts";
export { DEFAULT_MERGE, type MergeSettings } from "./merge.ts";
export { PLACEHOLDER_TOKENS, placeholder } from "./placeholder.ts";
export {
  type EvictionContext,
  type EvictionDemand,
  type EvictionPlan,
  type PlannedEdit,
  planEviction,
  type RefusalReason,
} from "./plan.ts";
export {
  PROTECTION_LEVELS,
  PROTECTION_RULES,
  type Protection,
  type ProtectionLevel,
  type ProtectionRule,
  type ProtectionSettings,
  protect,
  protectionAt,
} from "./protection.ts";
export type { Score, ScoredAction, Scorer, ScoringView, Similarity, Superseded } from "./scorer.ts";
export { scorers } from "./scorers/index.ts";
export { type ScoringSources, scoringView } from "./scoring-view.ts";
export { SimilarityIndex } from "./similarity.ts";
export { SupersededIndex } from "./superseded.ts";
