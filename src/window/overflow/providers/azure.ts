import { provider } from "../provider.ts";

/** Azure speaks OpenAI's words (see openai-compatible); what is its own are the filter and the name. */
export const azure = provider({
  name: "azure",
  summary: "Azure OpenAI and Azure AI Foundry.",
  hints: ["azure", "(model_error)", "azure_ai"],
  rules: {
    content_filter: {
      kind: "other",
      says: ["triggering azure openai's content management policy", "responsibleaipolicyviolation"],
    },
  },
});
