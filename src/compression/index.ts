export { type BreakerState, initialBreaker, mayCompress, recordPass } from "./breaker.ts";
export { type CascadePlan, type CascadeStep, runCascade } from "./cascade.ts";
export { findRules } from "./constraints.ts";
export { type Floor, floorFigures } from "./floor.ts";
export { truncateHeadTail } from "./head-tail.ts";
export { ingestLimit } from "./ingest.ts";
export type { CompressionEdit, CompressionMethod, CompressionOutcome, CompressionView } from "./method.ts";
export { compressionMethods } from "./methods/index.ts";
export { largestSubtask, type Subtask, type SubtaskUnit } from "./subtask.ts";
export {
  type AcceptedSummary,
  acceptSummary,
  emptySections,
  extractiveSummary,
  foldSummary,
  maskSecrets,
  type PromptOverride,
  parseSummary,
  type RefusedReply,
  renderSummary,
  type Summarizer,
  type SummaryPrompt,
  type SummarySections,
  sanitizeText,
  sectionsOfText,
  splitForSummary,
  summaryPrompt,
  summaryText,
} from "./summary/index.ts";
