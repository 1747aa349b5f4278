import { provider } from "../provider.ts";

/** Hugging Face's endpoints and Together AI's first ones. */
export const tgi = provider({
  name: "tgi",
  summary: "Text Generation Inference.",
  hints: ["huggingface", "text_generation"],
  rules: {
    total_tokens: {
      kind: "context_length",
      says: [
        "inputs tokens + max_new_tokens must be <= {limit}. given: {input} inputs tokens and {output} max_new_tokens",
      ],
    },
    input_tokens: {
      kind: "context_length",
      says: ["inputs must have less than {limit} tokens. given: {input}"],
    },
  },
});
