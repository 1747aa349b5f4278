import { provider } from "../provider.ts";

export const cohere = provider({
  name: "cohere",
  summary: "Cohere. The number it says to have received counts the answer asked for too.",
  hints: ["cohereerror", "cohereexception", "cohere.com", "cohere_chat"],
  rules: {
    too_many_tokens: {
      kind: "context_length",
      says: ["total number of tokens (prompt and prediction) cannot exceed {limit} - received {}"],
    },
  },
});
