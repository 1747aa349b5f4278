import { provider } from "../provider.ts";

export const fireworks = provider({
  name: "fireworks",
  summary: "Fireworks AI.",
  hints: ["fireworks"],
  rules: {
    prompt_too_long: {
      kind: "context_length",
      says: ["the prompt is too long: {input}, model maximum context length: {limit}"],
    },
  },
});
