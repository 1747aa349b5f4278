import { provider } from "../provider.ts";

export const mistral = provider({
  name: "mistral",
  summary: "Mistral's own API.",
  hints: ["mistral.ai", "mistralai", "mistralexception"],
  rules: {
    prompt_tokens: {
      kind: "context_length",
      says: ["prompt contains {input} tokens…too large for model with {limit} maximum context length"],
    },
  },
});
