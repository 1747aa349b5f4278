export { type Completion, type CompletionRequest, LlmClient, type LlmDependencies, type LlmOptions } from "./client.ts";
export { LlmError, type LlmFailureReason } from "./error.ts";
export type { LlmLimits } from "./limits/backend-limits.ts";
export { type Llm, type LlmModelSettings, type LlmSettings, type OpenLlmDependencies, openLlm } from "./open.ts";
export { WIRE_NAMES, type WireName } from "./wire/index.ts";
