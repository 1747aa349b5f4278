import { provider } from "../provider.ts";

/** Together AI, Cloudflare and others serve with it. */
export const sglang = provider({
  name: "sglang",
  summary: "SGLang.",
  hints: ["sglang"],
  rules: {
    input_length: {
      kind: "context_length",
      says: [
        "input ({input} tokens) is longer than the model's context length ({limit} tokens)",
        "input length ({input} tokens) exceeds the maximum allowed length ({limit} tokens)",
        "input length ({input}) exceeds model's maximum context length ({limit})",
      ],
    },
    requested_total: {
      kind: "context_length",
      says: [
        "exceeds the model's maximum context length of {limit} tokens. you requested a total of {} tokens: {input} tokens from the input messages and {output} tokens for the completion",
        "exceeds the model's maximum context length of {limit} tokens",
      ],
    },
  },
});
