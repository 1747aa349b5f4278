export { LlmSummaries, type SummariesDependencies, type SummaryModel } from "./llm-summaries.ts";
