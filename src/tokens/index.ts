export { updateFactor } from "./calibration.ts";
export {
  ModelCatalogue,
  type ModelEntry,
  type ModelOverride,
  type ModelPrices,
  type RelativePrices,
  relativePrices,
} from "./catalogue.ts";
export {
  type Anchor,
  type ContextEstimate,
  type ContextEstimateInput,
  estimateContext,
  keptOutputTokens,
  promptTokens,
  type ReportedUsage,
} from "./context-estimate.ts";
export { messageOverhead, promptOverhead } from "./message-overhead.ts";
export { countedTexts, partTokens } from "./part-tokens.ts";
export { tokenizers } from "./registry.ts";
export { QUICK_LIMIT, type TokenCount, TokenCounter, type TokenCounterOptions } from "./token-counter.ts";
export type { Tokenizer, TokenizerFactory } from "./tokenizer.ts";
