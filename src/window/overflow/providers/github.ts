import { provider } from "../provider.ts";

export const github = provider({
  name: "github",
  summary: "GitHub Copilot and GitHub Models.",
  hints: ["githubcopilot", "copilot"],
  rules: {
    prompt_tokens: { kind: "context_length", says: ["prompt token count of {input} exceeds the limit of {limit}"] },
    body_tokens: {
      kind: "context_length",
      says: ["request body too large for… model. max size: {limit} tokens", "tokens_limit_reached"],
    },
  },
});
