import { provider } from "../provider.ts";

/** DeepSeek speaks OpenAI's words (see openai-compatible). */
export const deepseek = provider({
  name: "deepseek",
  summary: "DeepSeek's own API.",
  hints: ["deepseek"],
  rules: {},
});
