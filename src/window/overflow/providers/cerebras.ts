import { provider } from "../provider.ts";

export const cerebras = provider({
  name: "cerebras",
  summary: "Cerebras Inference.",
  hints: ["cerebras"],
  rules: {
    current_length: {
      kind: "context_length",
      says: ["reduce the length of the messages or completion. current length is {input} while limit is {limit}"],
    },
  },
});
