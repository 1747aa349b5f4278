export { classifyRefusal } from "./classify.ts";
export { providers } from "./providers/index.ts";
export type { Refusal, RefusalKind } from "./refusal.ts";
export { type CutOff, type StopFigures, stopReason } from "./stop-reason.ts";
