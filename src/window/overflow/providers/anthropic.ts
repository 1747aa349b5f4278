import { provider } from "../provider.ts";

/** Claude's words come from Anthropic itself, from Bedrock and from Vertex. */
export const anthropic = provider({
  name: "anthropic",
  summary: "Anthropic's Messages API, and Claude wherever it is served.",
  hints: ["anthropic", "claude"],
  rules: {
    prompt_too_long: {
      kind: "context_length",
      shared: true,
      says: ["prompt is too long: {input} tokens > {limit} maximum", "prompt is too long"],
    },
    prompt_and_output: {
      kind: "context_length",
      shared: true,
      says: ["input length and max_tokens exceed context limit: {input} + {output} > {limit}"],
    },
    output_too_long: {
      kind: "output_length",
      shared: true,
      says: ["max_tokens: {output} > {limit}, which is the maximum allowed number of output tokens"],
    },
    request_too_large: {
      kind: "request_size",
      says: ["request_too_large", "request exceeds the maximum size", "exceeds the maximum allowed number of bytes"],
    },
    tokens_per_minute: {
      kind: "tokens_per_minute",
      says: [
        "exceed the rate limit for your organization… of {limit} input tokens per minute",
        "exceed your organization's rate limit of {limit} input tokens per minute",
      ],
    },
  },
});
