export { type BreakerState, initialBreaker, mayCompress, recordPass } from "./breaker.ts";
export { type CascadePlan, type CascadeStep, runCascade } from "./cascade.ts";
export { type Floor, floorFigures } from "./floor.ts";
export { truncateHeadTail } from "./head-tail.ts";
export { cutToLimits, fitsLimits, ingestLimit } from "./ingest.ts";
export type { CompressionEdit, CompressionMethod, CompressionOutcome, CompressionView } from "./method.ts";
export { compressionMethods } from "./methods/index.ts";
