export {
  type BreakerState,
  initialBreaker,
  madeProgress,
  mayCompress,
  type PassResult,
  recordPass,
} from "./breaker.ts";
export { type CascadeDemand, type CascadePlan, type CascadeStep, runCascade, type StepReport } from "./cascade.ts";
export { type Floor, type FloorInput, floorFigures } from "./floor.ts";
export { type HeadTail, type HeadTailOptions, truncateHeadTail } from "./head-tail.ts";
export { type IngestInput, ingestLimit } from "./ingest.ts";
export type {
  CompressionDemand,
  CompressionEdit,
  CompressionMethod,
  CompressionOutcome,
  CompressionView,
} from "./method.ts";
export { compressionMethods } from "./methods/index.ts";
