export { type BreakerState, initialBreaker, mayCompress, recordPass } from "./breaker.ts";
export { type CascadePlan, type CascadeStep, runCascade } from "./cascade.ts";
export { type CascadeSettings, type ConfiguredStep, configureCascade, EVICTION } from "./configure-cascade.ts";
export { findRules } from "./constraints.ts";
export { type Floor, floorFigures } from "./floor.ts";
export { truncateHeadTail } from "./head-tail.ts";
export { cutToLimits, fitsLimits, ingestLimit } from "./ingest.ts";
export type { CompressionEdit, CompressionMethod, CompressionOutcome, CompressionView, WantedText } from "./method.ts";
export { compressionMethods } from "./methods/index.ts";
export { largestSubtask, type Subtask, type SubtaskUnit } from "./subtask.ts";
export {
  acceptResult,
  acceptSummary,
  emptySections,
  extractiveSummary,
  hasNoFacts,
  maskSecrets,
  type PromptOverride,
  parseSummary,
  renderSummary,
  resultPrompt,
  resultText,
  type SummaryFacts,
  type SummarySections,
  sectionsOfText,
  splitForSummary,
  summaryPrompt,
  summaryText,
} from "./summary/index.ts";
