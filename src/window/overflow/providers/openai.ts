import { provider } from "../provider.ts";

export const openai = provider({
  name: "openai",
  summary: "OpenAI's own API.",
  hints: ["api.openai.com", "platform.openai.com", "openaiexception", "code: context_length_exceeded"],
  rules: {
    input_window: { kind: "context_length", shared: true, says: ["input exceeds the context window of this model"] },
    configured_limit: {
      kind: "context_length",
      shared: true,
      says: [
        "input tokens exceed the configured limit of {limit} tokens. your messages resulted in {input} tokens",
        "input tokens exceed the configured limit of {limit} tokens",
      ],
    },
    text_too_long: {
      kind: "request_size",
      shared: true,
      says: [
        "content: string too long",
        "content.text: string too long",
        "].text: string too long",
        "].output: string too long",
        "invalid input: string too long",
        "$.messages is too long. maximum length is",
      ],
    },
    parameter_too_long: {
      kind: "other",
      shared: true,
      says: ["string too long. expected a string with maximum length"],
    },
    tokens_per_minute: {
      kind: "tokens_per_minute",
      shared: true,
      says: [
        "on tokens per min (tpm): limit {limit}, requested {input}",
        "on tokens per min (tpm): limit {limit}, used {}, requested {input}",
      ],
    },
  },
});
