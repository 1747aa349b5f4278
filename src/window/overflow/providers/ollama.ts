import { provider } from "../provider.ts";

export const ollama = provider({
  name: "ollama",
  summary: "Ollama. The number behind `by` is how far the prompt is over.",
  hints: ["ollama"],
  rules: {
    prompt_too_long: {
      kind: "context_length",
      says: ["prompt too long; exceeded max context length", "prompt too long; exceeded context length"],
    },
    input_length: { kind: "context_length", says: ["input length exceeds the context length"] },
  },
});
