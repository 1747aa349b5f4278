export { LlmSummaries } from "./llm-summaries.ts";
