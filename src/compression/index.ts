export { truncateHeadTail } from "./head-tail.ts";
export { ingestLimit } from "./ingest.ts";
export { compressionMethods } from "./methods/index.ts";
