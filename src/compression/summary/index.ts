export { type AcceptedSummary, acceptSummary, type RefusedReply } from "./accept.ts";
export { extractiveSummary } from "./extractive.ts";
export { type Summarizer, type SummaryFacts, sectionsOfText, summaryText } from "./frame.ts";
export { parseSummary } from "./parse.ts";
export { type PromptOverride, type SummaryPrompt, summaryPrompt } from "./prompt.ts";
export { acceptResult, resultPrompt, resultText } from "./result-prompt.ts";
export { maskSecrets } from "./secrets.ts";
export { emptySections, hasNoFacts, renderSummary, type SummarySections } from "./sections.ts";
export { splitForSummary } from "./split.ts";
