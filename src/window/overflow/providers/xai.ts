import { provider } from "../provider.ts";

export const xai = provider({
  name: "xai",
  summary: "xAI (Grok).",
  hints: ["api.x.ai", "xaiexception"],
  rules: {
    prompt_length: {
      kind: "context_length",
      says: ["maximum prompt length is {limit} but the request contains {input} tokens"],
    },
  },
});
