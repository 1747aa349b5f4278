import { provider } from "../provider.ts";

export const openrouter = provider({
  name: "openrouter",
  summary: "OpenRouter's own count, before it asks a provider.",
  hints: ["openrouter", "provider returned error"],
  rules: {
    rate_limited: { kind: "other", says: ["429 provider returned error"] },
    endpoint_context: {
      kind: "context_length",
      says: [
        "endpoint's maximum context length is {limit} tokens…requested about {} tokens ({input} of text input, {also} of tool input, {output} in the output)",
        "endpoint's maximum context length is {limit} tokens…requested about {} tokens ({input} of text input, {output} in the output)",
        "endpoint's maximum context length is {limit} tokens…requested about {} tokens ({input} of text input)",
        "endpoint's maximum context length is {limit} tokens…requested about {input} tokens.",
        "endpoint's maximum context length is {limit} tokens",
      ],
    },
  },
});
