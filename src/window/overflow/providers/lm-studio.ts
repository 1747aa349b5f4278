import { provider } from "../provider.ts";

export const lmStudio = provider({
  name: "lm_studio",
  summary: "LM Studio: the tokens that it names are those of the prompt that it will not cut.",
  hints: ["lm studio", "lmstudio"],
  rules: {
    keep_first: {
      kind: "context_length",
      says: [
        "trying to keep the first {input} tokens when context…loaded with context length of only {limit} tokens",
        "trying to keep the first {input} tokens when context…context length of only {limit} tokens",
      ],
    },
    keep_initial: {
      kind: "context_length",
      says: [
        "tokens to keep from the initial prompt is greater than the context length (n_keep: {input}>= n_ctx: {limit})",
        "tokens to keep from the initial prompt is greater than the context length",
      ],
    },
    cannot_truncate: {
      kind: "context_length",
      says: ["cannot truncate prompt with n_keep ({input}) >= n_ctx ({limit})"],
    },
    input_length: { kind: "context_length", says: ["input length {input} exceeds context length {limit}"] },
    context_size: { kind: "context_length", says: ["context size has been exceeded"] },
  },
});
