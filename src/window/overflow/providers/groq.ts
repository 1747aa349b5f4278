import { provider } from "../provider.ts";

export const groq = provider({
  name: "groq",
  summary: "Groq.",
  hints: ["groq"],
  rules: {
    reduce_length: {
      kind: "context_length",
      says: [
        "message: please reduce the length of the messages or completion",
        "please reduce the length of the messages or completion",
      ],
    },
    output_too_long: {
      kind: "output_length",
      says: ["max_tokens must be less than or equal to {limit}, the maximum value for max_tokens"],
    },
    tokens_per_minute: {
      kind: "tokens_per_minute",
      says: [
        "on tokens per minute (tpm): limit {limit}, requested {input}",
        "on tokens per minute (tpm): limit {limit}, used {}, requested {input}",
      ],
    },
  },
});
